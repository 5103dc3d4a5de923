package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.StoreReply.Code;
import io.idembox.testkit.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Many commands in one script: which go together, and what becomes of each when the server refuses
 * some or all of them. Each test has a server of its own.
 */
final class BulkScriptTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration LIVE = EffectStoreContract.LIVE;

  private final StoreCommands commands = new StoreCommands("bulk");
  private EmbeddedRedis redis;
  private RedisEffectStore store;

  private void start(EmbeddedRedis.Builder server) {
    redis = server.start();
    store = RedisEffectStore.builder(redis.uri()).commandTimeout(Duration.ofSeconds(2)).connect();
  }

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
      redis.close();
    }
  }

  private List<StoreCommand> claims(int count) {
    return IntStream.range(0, count)
        .<StoreCommand>mapToObj(i -> commands.claim("k" + i, "t" + i, LIVE))
        .toList();
  }

  private List<StoreCommand> ends(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> commands.done("k" + i, "t" + i, "r" + i))
        .toList();
  }

  /** Each command's code, or the kind of its failure. */
  private List<String> answers(List<? extends StoreCommand> all) {
    List<String> answers = new ArrayList<>();
    store
        .applyAll(all)
        .forEach(
            stage -> {
              try {
                answers.add(stage.toCompletableFuture().join().code().name());
              } catch (CompletionException e) {
                answers.add(StoreCalls.unwrap(e).kind().name());
              }
            });
    return answers;
  }

  private EffectRecord stored(int number) {
    return store
        .lookUp(List.of(commands.id("k" + number)))
        .toCompletableFuture()
        .join()
        .get(0)
        .orElse(null);
  }

  /** How often the server has run scripts by name since its statistics were reset. */
  private long scripts() {
    Matcher calls =
        Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
            .matcher(redis.command("INFO", "commandstats"));
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  @Test
  void claimsAndEndsOfManyKeysTakeOneScriptForSixtyFour() {
    start(EmbeddedRedis.builder().inMemory());
    store.applyAll(claims(2)).forEach(stage -> stage.toCompletableFuture().join());
    store.applyAll(ends(2)).forEach(stage -> stage.toCompletableFuture().join());
    redis.command("FLUSHALL");
    redis.command("CONFIG", "RESETSTAT");

    assertThat(answers(claims(130))).hasSize(130).containsOnly("OK");
    assertThat(scripts()).isEqualTo(3);
    assertThat(answers(ends(130))).hasSize(130).containsOnly("OK");
    assertThat(scripts()).isEqualTo(6);
    assertThat(stored(129).receipt()).isEqualTo(StoreCommands.utf8("r129"));
    assertThat(stored(129).mark).isEqualTo(StoreCommands.token("t129").mark());
  }

  @Test
  void whatDiffersInLeaseOrPolicyOrRetentionOrKindGoesAlone() {
    assertThat(BulkScript.of(claims(1))).isNull();
    assertThat(BulkScript.of(claims(2))).hasSize(1);
    assertThat(
            BulkScript.of(
                List.of(
                    commands.claim("a", "1", LIVE), commands.claim("b", "2", LIVE.plusMillis(1)))))
        .isNull();
    assertThat(
            BulkScript.of(
                List.of(
                    commands.claim("a", "1", LIVE), commands.hold(commands.claim("b", "2", LIVE)))))
        .isNull();
    assertThat(BulkScript.of(List.of(commands.claim("a", "1", LIVE), commands.done("b", "2", "r"))))
        .isNull();
    assertThat(
            BulkScript.of(
                List.of(
                    commands.done("a", "1", "r"),
                    new StoreCommand.Settle(
                        commands.id("b"),
                        StoreCommands.token("2"),
                        Settlement.doneWithoutReceipt(0, Duration.ofHours(2))))))
        .isNull();
    assertThat(BulkScript.of(List.of(commands.release("a", "1"), commands.release("b", "2"))))
        .isNull();
    // The second would be answered before the first, which may have to be asked for alone.
    assertThat(
            BulkScript.of(List.of(commands.claim("a", "1", LIVE), commands.claim("a", "2", LIVE))))
        .isNull();
  }

  @Test
  void anAnswerThatIsNotOfOurScriptIsRefused() {
    BulkScript claims = BulkScript.of(claims(3)).get(0);
    BulkScript ends = BulkScript.of(ends(3)).get(0);
    for (byte[] answer : List.of(new byte[20], new byte[22], stamped(0), stamped(4))) {
      assertThatIllegalArgumentException().isThrownBy(() -> claims.left(answer));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> ends.left(new byte[1]));
    assertThat(claims.left(stamped(3)).stream().toArray()).containsExactly(2);
    assertThat(ends.left(new byte[0]).isEmpty()).isTrue();
  }

  private static byte[] stamped(int number) {
    byte[] answer = new byte[23];
    answer[22] = (byte) number;
    return answer;
  }

  @Test
  void scriptsThatTheServerHasForgottenAreSentAgainWithTheirText() {
    start(EmbeddedRedis.builder().inMemory());
    assertThat(answers(claims(70))).containsOnly("OK");
    redis.command("SCRIPT", "FLUSH");
    assertThat(answers(ends(70))).containsOnly("OK");
    redis.command("SCRIPT", "FLUSH");
    assertThat(answers(claims(70))).containsOnly("SETTLED");
  }

  @Test
  void aFullServerTakesNoClaimTellsWhatIsDoneAndRecordsEveryEnd() {
    OnRedis7.orSkip("only Redis 7 and later know allow-oom");
    start(EmbeddedRedis.builder().inMemory().atLeast(7));
    assertThat(answers(claims(10))).containsOnly("OK");
    assertThat(answers(ends(3))).containsOnly("OK");
    fill();

    List<StoreCommand> claims = claims(12);
    assertThat(answers(claims.subList(0, 3))).containsOnly("SETTLED");
    assertThat(answers(List.of(claims.get(0), claims.get(10), claims.get(1), claims.get(11))))
        .containsExactly("SETTLED", "OUT_OF_MEMORY", "SETTLED", "OUT_OF_MEMORY");
    assertThat(answers(ends(10))).containsOnly("OK");
    assertThat(stored(9).state()).isEqualTo(EffectRecord.State.DONE);
    assertThat(stored(10)).isNull();
  }

  @Test
  void aFullServerOfVersion6RefusesEachByItselfAndTellsWhatIsDone() {
    start(EmbeddedRedis.builder().inMemory().bundled());
    assertThat(answers(claims(5))).containsOnly("OK");
    assertThat(answers(ends(2))).containsOnly("OK");
    fill();

    assertThat(answers(claims(7)))
        .containsExactly(
            "SETTLED",
            "SETTLED",
            "OUT_OF_MEMORY",
            "OUT_OF_MEMORY",
            "OUT_OF_MEMORY",
            "OUT_OF_MEMORY",
            "OUT_OF_MEMORY");
    assertThat(answers(ends(5)))
        .containsExactly("OK", "OK", "OUT_OF_MEMORY", "OUT_OF_MEMORY", "OUT_OF_MEMORY");
    redis.command("CONFIG", "SET", "maxmemory", "0");
    assertThat(answers(ends(5))).containsOnly("OK");
    assertThat(answers(claims(7)))
        .containsExactly("SETTLED", "SETTLED", "SETTLED", "SETTLED", "SETTLED", "OK", "OK");
  }

  private void fill() {
    redis.command("SET", "filler", "x".repeat(2_000_000));
    redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    redis.command("CONFIG", "SET", "maxmemory", "1mb");
  }

  @Test
  void aReplicaRefusesEachByItself() {
    start(EmbeddedRedis.builder().inMemory());
    assertThat(answers(claims(3))).containsOnly("OK");
    redis.command("REPLICAOF", "127.0.0.1", "1");

    assertThat(answers(ends(3))).containsOnly("READ_ONLY");
    redis.command("REPLICAOF", "NO", "ONE");
    // The connection to a demoted server is given up, and comes back.
    await().atMost(LIMIT).until(() -> answers(ends(3)).equals(List.of("OK", "OK", "OK")));
  }

  @Test
  void aMasterWithoutEnoughReplicasTakesNoClaim() {
    start(EmbeddedRedis.builder().inMemory());
    redis.command("CONFIG", "SET", "min-replicas-to-write", "1");

    assertThat(answers(claims(3))).doesNotContain("OK");
    redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
    assertThat(answers(claims(3))).containsOnly("OK");
    redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
    assertThat(answers(ends(3))).doesNotContain("OK");
    redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
    assertThat(answers(ends(3))).containsOnly("OK");
  }

  @Test
  void aKeyOfAnotherTypeIsAnErrorOfItsOwnAndTheOthersAreTaken() {
    start(EmbeddedRedis.builder().inMemory());
    byte[] name = RedisKeys.record(commands.id("k1").hash());
    try (RawRedis raw = new RawRedis(redis.uri())) {
      raw.makeList(name);
    }

    assertThat(answers(claims(4))).containsExactly("OK", "OTHER", "OK", "OK");
    assertThat(answers(ends(4))).containsExactly("OK", "OTHER", "OK", "OK");
    assertThat(stored(3).state()).isEqualTo(EffectRecord.State.DONE);
  }

  @Test
  void aScriptThatEndsInTheMiddleIsReadRightAfterwards() {
    start(EmbeddedRedis.builder().inMemory());
    // The same name, and a text that stops after the second key: what it has written stays.
    RedisScript.Text text = RedisScript.CLAIM_ALL.text(redis.majorVersion() >= 7);
    assertThat(text.source()).contains("for i = 1, #KEYS do");
    String broken =
        text.source()
            .replace("for i = 1, #KEYS do", "for i = 1, #KEYS do if i == 3 then error('no') end");
    String failure = evaluated(broken, BulkScript.of(claims(5)).get(0)).toLowerCase(Locale.ROOT);
    assertThat(failure).contains("no");
    assertThat(stored(1).state()).isEqualTo(EffectRecord.State.CLAIMED);
    assertThat(stored(2)).isNull();

    // With the same tokens, as after an answer that was lost.
    assertThat(answers(claims(5))).containsOnly("OK");
    assertThat(stored(1).attempts()).isEqualTo(1);
    assertThat(stored(1).earlierAttemptUnknown()).isFalse();
    assertThat(answers(ends(5))).containsOnly("OK");
  }

  private String evaluated(String source, BulkScript script) {
    try (RawRedis raw = new RawRedis(redis.uri())) {
      return raw.eval(script.args(EvalArgs.argument(source.getBytes(StandardCharsets.UTF_8)), 0));
    }
  }

  @Test
  void aServerThatRefusesScriptsOfManyKeysIsAskedForEachAlone() {
    start(EmbeddedRedis.builder().inMemory());
    // As a proxy in front of several servers does, for other reasons: this user may touch one key.
    redis.command(
        "ACL", "SETUSER", "narrow", "on", ">pass", "+@all", "~" + printable("k0"), "~{?}i*");
    String uri = redis.uri().replace("redis://", "redis://narrow:pass@");
    try (RedisEffectStore narrow = RedisEffectStore.connect(uri)) {
      List<String> codes = new ArrayList<>();
      narrow
          .applyAll(claims(2))
          .forEach(
              stage -> {
                try {
                  codes.add(stage.toCompletableFuture().join().code().name());
                } catch (CompletionException e) {
                  codes.add(StoreCalls.unwrap(e).kind().name());
                }
              });
      assertThat(codes).containsExactly(Code.OK.name(), "DENIED");
    }
  }

  /** A pattern that only this key matches. */
  private String printable(String key) {
    byte[] name = RedisKeys.record(commands.id(key).hash());
    StringBuilder pattern = new StringBuilder();
    for (byte b : name) {
      pattern.append(b > ' ' && b < 0x7f && "*?[]\\^-".indexOf(b) < 0 ? (char) b : '?');
    }
    return pattern.toString();
  }
}
