package io.idembox.effect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * A process that runs one effect and stops at a boundary: {@code URI NAMESPACE ON_UNKNOWN LEASE_MS
 * SINK BOUNDARY}. The effect adds a line with its provider key to the sink.
 */
final class GuardWorker {
  static final EffectKey KEY = EffectKey.of("pay").id("order-9");

  enum Boundary {
    CLAIMED,
    STARTED,
    PERFORMED,
    COMPLETED,
    NONE
  }

  private final Path sink;
  private final Boundary boundary;

  private GuardWorker(Path sink, Boundary boundary) {
    this.sink = sink;
    this.boundary = boundary;
  }

  public static void main(String... args) {
    EffectPolicy policy =
        EffectPolicy.builder()
            .onUnknown(OnUnknown.valueOf(args[2]))
            .lease(Duration.ofMillis(Long.parseLong(args[3])))
            .maxAttempts(1)
            .build();
    GuardWorker worker = new GuardWorker(Path.of(args[4]), Boundary.valueOf(args[5]));
    Duration command = policy.lease().dividedBy(3);
    try (RedisEffectStore redis =
            RedisEffectStore.builder(args[0]).commandTimeout(command).connect();
        EffectGuard guard =
            EffectGuard.builder(worker.stopping(redis)).namespace(args[1]).build()) {
      EffectOutcome<String> outcome = guard.tryOnce(policy, KEY, String.class, worker::pay);
      System.out.println("outcome " + outcome.kind());
      worker.at(Boundary.COMPLETED);
    }
  }

  private String pay(EffectAttempt attempt) throws IOException {
    at(Boundary.STARTED);
    Files.writeString(sink, attempt.providerKey() + "\n", StandardOpenOption.APPEND);
    at(Boundary.PERFORMED);
    return "paid by " + ProcessHandle.current().pid();
  }

  private void at(Boundary reached) {
    System.out.println("at " + reached);
    if (reached == boundary) {
      try {
        // Until somebody kills this process, or the file is there that lets it go on after a
        // freeze.
        while (!Files.exists(Path.of(sink + ".go"))) {
          new CountDownLatch(1).await(20, java.util.concurrent.TimeUnit.MILLISECONDS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Stops after a claim was answered, before anything of it is known to the guard. */
  private EffectStore stopping(EffectStore store) {
    return new DelegatingStore(store) {
      @Override
      public CompletionStage<StoreReply> apply(StoreCommand command) {
        CompletionStage<StoreReply> reply = super.apply(command);
        if (command instanceof StoreCommand.Claim) {
          reply.toCompletableFuture().join();
          at(Boundary.CLAIMED);
        }
        return reply;
      }
    };
  }
}
