package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.EmbeddedRedisSentinel;
import io.idembox.testkit.FaultRelay;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connecting: what is refused says where and why, and never with a password. */
@WithServers(WithServers.Server.REDIS)
final class RedisConnectTest {
  private TestScope scope;

  @Test
  void anUnreachableServerIsNamedWithinTenSecondsAndWithoutItsPassword() {
    try (FaultRelay relay = FaultRelay.to(scope.redis().port())) {
      for (Runnable fault : List.<Runnable>of(relay::down, relay::blackhole)) {
        relay.pass();
        fault.run();
        long startedAt = System.nanoTime();
        assertThatExceptionOfType(EffectStoreException.class)
            .isThrownBy(
                () -> RedisEffectStore.connect("redis://user:s3cret@127.0.0.1:" + relay.port()))
            .withMessageContaining("127.0.0.1:" + relay.port())
            .matches(e -> !e.getMessage().contains("s3cret"));
        assertThat(Duration.ofNanos(System.nanoTime() - startedAt))
            .isLessThan(Duration.ofSeconds(10));
      }
    }
  }

  @Test
  void usersOfAnAccessListAreServedAndWrongPasswordsAreDenied() {
    try (EmbeddedRedis redis =
        EmbeddedRedis.builder()
            .inMemory()
            .user("guard", "s3cret", "~{*", "+@all", "-@dangerous", "+info")
            .start()) {
      String address =
          redis
              .uri()
              .substring(
                  redis.uri().lastIndexOf('@') < 0
                      ? "redis://".length()
                      : redis.uri().lastIndexOf('@') + 1);
      assertThatExceptionOfType(EffectStoreException.class)
          .isThrownBy(() -> RedisEffectStore.connect("redis://guard:wrong@" + address))
          .matches(e -> e.kind() == EffectStoreException.Kind.DENIED)
          .withMessageContaining("WRONGPASS");
      try (RedisEffectStore store = RedisEffectStore.connect("redis://guard:s3cret@" + address);
          EffectGuard guard = EffectGuard.builder(store).namespace("acl").build()) {
        EffectKey key = EffectKey.of("mail").id("1");
        assertThat(guard.once(EffectPolicy.defaults(), key, String.class, attempt -> "sent"))
            .isEqualTo("sent");
        assertThat(guard.operations().inDoubt()).isEmpty();
        // CONFIG is hidden, as managed servers do.
        assertThat(guard.check()).extracting(StoreFinding::code).contains("redis.persistence");
      }
    }
  }

  @Test
  void sentinelsWithAPasswordOfTheirOwnAreAskedWithIt() {
    try (EmbeddedRedisSentinel sentinel =
        EmbeddedRedisSentinel.startWithPasswords("s3rver", "w4tch")) {
      try (RedisEffectStore store =
              RedisEffectStore.builder(sentinel.uri()).sentinelPassword("w4tch").connect();
          EffectGuard guard = EffectGuard.builder(store).namespace("watched").build()) {
        assertThat(
                guard.once(
                    EffectPolicy.defaults(),
                    EffectKey.of("mail").id("1"),
                    String.class,
                    attempt -> "sent"))
            .isEqualTo("sent");
      }
      RedisEffectStore.builder(sentinel.uri())
          .sentinelCredentials("default", "w4tch")
          .connect()
          .close();
      for (RedisEffectStore.Builder denied :
          List.of(
              RedisEffectStore.builder(sentinel.uri()),
              RedisEffectStore.builder(sentinel.uri()).sentinelPassword("wr0ng"))) {
        assertThatExceptionOfType(EffectStoreException.class)
            .isThrownBy(denied::connect)
            .matches(e -> e.kind() == EffectStoreException.Kind.DENIED)
            .withMessageContaining("sentinel 127.0.0.1:")
            .matches(e -> !e.getMessage().contains("s3rver") && !e.getMessage().contains("wr0ng"));
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> RedisEffectStore.builder(scope.redis().uri()).sentinelPassword("w4tch").connect())
        .withMessageContaining("redis-sentinel://")
        .matches(e -> !e.getMessage().contains("w4tch"));
  }

  @Test
  void theDatabaseThatTheUriNamesIsTheOneThatIsUsed() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().inMemory().start();
        RedisEffectStore store = RedisEffectStore.connect(redis.uri() + "/3");
        EffectGuard guard = EffectGuard.builder(store).namespace("third").build()) {
      guard.once(
          EffectPolicy.defaults(), EffectKey.of("mail").id("1"), String.class, attempt -> "sent");
      assertThat(redis.command("INFO", "keyspace")).contains("db3:").doesNotContain("db0:");
      // Which writes the marker.
      guard.check();
      assertThat(guard.check())
          .anySatisfy(
              finding -> {
                assertThat(finding.code()).isEqualTo("redis.size");
                // The effect and the namespace's marker.
                assertThat(finding.what()).contains("holds 2 keys in ");
              });
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisEffectStore.connect("redis://:s3cret@one:1,two:2/3"))
        .withMessageContaining("none but 0")
        .matches(e -> !e.getMessage().contains("s3cret"));
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisEffectStore.connect("http://s3cret@x"))
        .matches(e -> !e.getMessage().contains("s3cret"));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RedisEffectStore.builder(scope.redis().uri())
                    .commandTimeout(Duration.ZERO)
                    .connect())
        .withMessageContaining("commandTimeout PT0S");
    try (RedisEffectStore store =
            RedisEffectStore.builder(scope.redis().uri())
                .commandTimeout(Duration.ofSeconds(2))
                .connect();
        EffectGuard guard = EffectGuard.builder(store).namespace(scope.namespace()).build()) {
      EffectPolicy hasty = EffectPolicy.builder().lease(Duration.ofSeconds(5)).build();
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  guard.once(
                      hasty, EffectKey.of("mail").id("1"), String.class, attempt -> "unprotected"))
          .withMessageContaining("lease PT5S")
          .withMessageContaining("PT2S");
    }
  }

  @Test
  void aClosedStoreSaysSo() {
    RedisEffectStore store = RedisEffectStore.connect(scope.redis().uri());
    EffectGuard guard =
        EffectGuard.builder(store).namespace(scope.namespace()).closeTimeout(Duration.ZERO).build();
    store.close();
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(
            () ->
                guard.once(
                    EffectPolicy.defaults(),
                    EffectKey.of("mail").id("1"),
                    String.class,
                    attempt -> "unprotected"));
    guard.close();
  }
}
