package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The Lua scripts and the transition table say the same: random commands, sent to both, are
 * answered alike.
 */
@WithServers(WithServers.Server.REDIS)
final class StoresAgreeTest {
  private static final int HISTORIES = 400;
  private static final int STEPS = 12;

  private TestScope scope;

  @Test
  void scriptsAndTransitionTableAnswerAlike() {
    try (RedisEffectStore redis = RedisEffectStore.connect(scope.redis().uri())) {
      InMemoryEffectStore memory = new InMemoryEffectStore();
      StoreCommands commands = new StoreCommands(scope.namespace());
      for (int history = 0; history < HISTORIES; history++) {
        Random random = new Random(history);
        List<String> told = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
          StoreCommand command = command(random, commands, "k" + history);
          told.add(command.toString());
          assertThat(shown(apply(redis, command)))
              .as("history %d: %s", history, told)
              .isEqualTo(shown(apply(memory, command)));
          assertThat(stored(redis, command))
              .as("history %d: %s", history, told)
              .isEqualTo(stored(memory, command));
        }
      }
    }
  }

  private static StoreCommand command(Random random, StoreCommands c, String key) {
    String token = "t" + random.nextInt(3);
    Duration lease = random.nextBoolean() ? EffectStoreContract.LIVE : EffectStoreContract.ENDED;
    return switch (random.nextInt(12)) {
      case 0, 1, 2 -> {
        StoreCommand.Claim claim = c.fingerprint(c.claim(key, token, lease), random.nextInt(3));
        claim = random.nextInt(3) == 0 ? c.hold(claim) : claim;
        yield random.nextInt(4) == 0 ? c.earlierUnknown(claim, 1 + random.nextInt(3)) : claim;
      }
      case 3 -> c.done(key, token, "r" + random.nextInt(3));
      case 4 -> c.rejected(key, token, "no");
      case 5 -> c.release(key, token);
      case 6 -> c.inDoubt(key, token);
      case 7 -> c.renew(key, token, lease);
      case 8 -> new StoreCommand.EndLease(c.id(key));
      case 9 -> c.resolve(key, "p");
      case 10 -> new StoreCommand.ResolveNotDone(c.id(key));
      default -> new StoreCommand.Forget(c.id(key));
    };
  }

  private static StoreReply apply(EffectStore store, StoreCommand command) {
    return store.apply(command).toCompletableFuture().join();
  }

  private static String shown(StoreReply reply) {
    return reply.code() + " " + shown(reply.record());
  }

  private static String stored(EffectStore store, StoreCommand command) {
    return shown(
        store.lookUp(List.of(command.id())).toCompletableFuture().join().get(0).orElse(null));
  }

  /** All but the times, which the two clocks give. */
  private static String shown(EffectRecord r) {
    return r == null
        ? "absent"
        : "%s doubt=%s indexed=%s kept=%s generation=%d attempts=%d token=%s mark=%d fingerprint=%d owner=%s key=%s payload=%s"
            .formatted(
                r.state,
                r.doubtBefore,
                r.indexed,
                r.receiptKept,
                r.generation,
                r.attempts,
                r.token,
                r.mark,
                r.fingerprint,
                r.owner,
                r.key.length,
                new String(r.payload, java.nio.charset.StandardCharsets.UTF_8));
  }
}
