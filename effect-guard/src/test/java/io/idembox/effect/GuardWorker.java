package io.idembox.effect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A process that runs one effect for each boundary named, side by side, and stops each there:
 * {@code URI NAMESPACE ON_UNKNOWN LEASE_MS FOLDER BOUNDARY…}. An effect adds a line with its
 * provider key to its boundary's sink.
 */
final class GuardWorker {
  enum Boundary {
    CLAIMED,
    STARTED,
    PERFORMED,
    COMPLETED;

    EffectKey key() {
      return EffectKey.of("pay").id(name());
    }

    Path sink(Path folder) {
      return folder.resolve(name());
    }
  }

  private static final int CONNECTS = 5;

  private final EffectGuard guard;
  private final EffectPolicy policy;
  private final Path folder;
  private final Boundary boundary;

  private GuardWorker(EffectGuard guard, EffectPolicy policy, Path folder, Boundary boundary) {
    this.guard = guard;
    this.policy = policy;
    this.folder = folder;
    this.boundary = boundary;
  }

  public static void main(String... args) {
    EffectPolicy policy =
        EffectPolicy.builder()
            .onUnknown(OnUnknown.valueOf(args[2]))
            .lease(Duration.ofMillis(Long.parseLong(args[3])))
            .maxAttempts(1)
            .build();
    Path folder = Path.of(args[4]);
    List<Boundary> boundaries = Arrays.stream(args).skip(5).map(Boundary::valueOf).toList();
    try (RedisEffectStore redis = connect(args[0], policy.lease().dividedBy(3));
        EffectGuard guard =
            EffectGuard.builder(stoppingAfterClaims(redis, folder)).namespace(args[1]).build()) {
      List<CompletableFuture<Void>> runs =
          boundaries.stream()
              .map(boundary -> new GuardWorker(guard, policy, folder, boundary))
              .map(worker -> CompletableFuture.runAsync(worker::run, Background.THREADS))
              .toList();
      runs.forEach(CompletableFuture::join);
    }
  }

  /** A client that is started beside others' builds may take longer than its connector waits. */
  private static RedisEffectStore connect(String uri, Duration commandTimeout) {
    for (int i = 1; ; i++) {
      try {
        return RedisEffectStore.builder(uri).commandTimeout(commandTimeout).connect();
      } catch (EffectStoreException e) {
        if (i == CONNECTS) {
          throw e;
        }
      }
    }
  }

  private void run() {
    EffectOutcome<String> outcome = guard.tryOnce(policy, boundary.key(), String.class, this::pay);
    System.out.println("outcome " + outcome.kind());
    at(Boundary.COMPLETED);
  }

  private String pay(EffectAttempt attempt) throws IOException {
    at(Boundary.STARTED);
    Files.writeString(
        boundary.sink(folder),
        attempt.providerKey() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    at(Boundary.PERFORMED);
    return "paid by " + ProcessHandle.current().pid();
  }

  private void at(Boundary reached) {
    if (reached == boundary) {
      stop(folder, boundary);
    }
  }

  /** Until somebody kills this process, or the file is there that lets it go on after a freeze. */
  private static void stop(Path folder, Boundary boundary) {
    System.out.println("at " + boundary);
    try {
      while (!Files.exists(folder.resolve("go"))) {
        new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops after a claim was answered, before anything of it is known to the guard. */
  private static EffectStore stoppingAfterClaims(EffectStore store, Path folder) {
    return new DelegatingStore(store) {
      @Override
      public CompletionStage<StoreReply> apply(StoreCommand command) {
        CompletionStage<StoreReply> reply = super.apply(command);
        if (command instanceof StoreCommand.Claim claim
            && claim.key().equals(Boundary.CLAIMED.key())) {
          reply.toCompletableFuture().join();
          stop(folder, Boundary.CLAIMED);
        }
        return reply;
      }
    };
  }
}
