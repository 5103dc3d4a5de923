package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
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

  @Test
  void bulksOfClaimsAndOfEndsAreAnsweredAsOneCommandAfterTheOther() {
    try (RedisEffectStore redis = RedisEffectStore.connect(scope.redis().uri())) {
      InMemoryEffectStore memory = new InMemoryEffectStore();
      StoreCommands commands = new StoreCommands(scope.namespace());
      for (int history = 0; history < HISTORIES / 2; history++) {
        Random random = new Random(history);
        List<String> told = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
          String prefix = "b" + history + "-";
          // Now and then a key changes by itself, so that bulks meet all states.
          StoreCommand single = command(random, commands, prefix + random.nextInt(6));
          assertThat(shown(apply(redis, single))).isEqualTo(shown(apply(memory, single)));
          List<StoreCommand> bulk = bulk(random, commands, prefix);
          told.add(single + ", then " + bulk);
          List<CompletionStage<StoreReply>> replies = redis.applyAll(bulk);
          for (int i = 0; i < bulk.size(); i++) {
            assertThat(shown(replies.get(i).toCompletableFuture().join()))
                .as("number %d of the last: history %d: %s", i, history, told)
                .isEqualTo(shown(apply(memory, bulk.get(i))));
          }
          for (StoreCommand command : bulk) {
            assertThat(stored(redis, command))
                .as("history %d: %s", history, told)
                .isEqualTo(stored(memory, command));
          }
        }
      }
    }
  }

  /** Two to eight claims, or ends, of one policy; one key in eight bulks stands there twice. */
  private static List<StoreCommand> bulk(Random random, StoreCommands c, String prefix) {
    Duration lease = random.nextBoolean() ? EffectStoreContract.LIVE : EffectStoreContract.ENDED;
    boolean ends = random.nextInt(3) == 0;
    boolean hold = random.nextInt(4) == 0;
    List<StoreCommand> bulk = new ArrayList<>();
    int first = random.nextInt(4);
    int count = 2 + random.nextInt(7);
    for (int i = 0; i < count; i++) {
      String key = prefix + (random.nextInt(40) == 0 ? first : first + i);
      String token = "t" + random.nextInt(3);
      if (ends) {
        bulk.add(
            random.nextInt(4) == 0
                ? c.rejected(key, token, "no")
                : c.done(key, token, "r" + random.nextInt(3)));
      } else {
        StoreCommand.Claim claim = c.fingerprint(c.claim(key, token, lease), random.nextInt(3));
        claim = random.nextInt(4) == 0 ? c.earlierUnknown(claim, 1 + random.nextInt(3)) : claim;
        bulk.add(hold ? c.hold(claim) : claim);
      }
    }
    return bulk;
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
