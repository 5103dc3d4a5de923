package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedRedisTest {
  private static EmbeddedRedis redis;

  @BeforeAll
  static void start() {
    redis = EmbeddedRedis.start();
  }

  @AfterAll
  static void close() {
    redis.close();
  }

  @Test
  void itAnswersAPing() {
    assertThat(redis.command("PING")).isEqualTo("PONG");
    assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
  }

  @Test
  void itNeverEvicts() {
    assertThat(redis.command("CONFIG", "GET", "maxmemory-policy"))
        .isEqualTo("maxmemory-policy\nnoeviction");
  }

  @Test
  void aRecentServerOnThePathIsPreferred() {
    assumeTrue(
        EmbeddedRedis.majorVersionOnPath().orElse(0) >= 7,
        "no redis-server 7 or later on the PATH");
    assertThat(redis.majorVersion()).isEqualTo(EmbeddedRedis.majorVersionOnPath().getAsInt());
    assertThat(redis.version()).startsWith(redis.majorVersion() + ".");
  }

  @Test
  void theBundledServerIsOfVersion6() {
    try (EmbeddedRedis old = EmbeddedRedis.builder().bundled().start()) {
      assertThat(old.version()).startsWith("6.2.");
      assertThat(old.majorVersion()).isEqualTo(6);
      assertThat(old.command("SET", "k", "v")).isEqualTo("OK");
    }
  }

  @Test
  void aVersionThatIsNotThereIsRefusedWithTheRemedy() {
    assertThatThrownBy(() -> EmbeddedRedis.builder().bundled().atLeast(7).start())
        .isInstanceOf(ServerStartException.class)
        .hasMessageContaining("version 7 or later")
        .hasMessageContaining("install");
  }

  @Test
  void aKilledServerComesBackOnItsPortWithWhatItAcknowledged() {
    try (EmbeddedRedis own = EmbeddedRedis.start()) {
      int port = own.port();
      own.command("SET", "kept", "yes");
      own.kill();
      assertThatThrownBy(() -> own.command("PING")).isInstanceOf(TestkitException.class);
      own.restart();
      assertThat(own.port()).isEqualTo(port);
      assertThat(own.command("GET", "kept")).isEqualTo("yes");
    }
  }

  @Test
  void anInMemoryServerComesBackEmpty() {
    try (EmbeddedRedis own = EmbeddedRedis.builder().inMemory().start()) {
      own.command("SET", "kept", "yes");
      own.restart();
      assertThat(own.command("GET", "kept")).isEmpty();
    }
  }

  @Test
  void aFolderOfTheUsersOwnOutlivesTheServer(@TempDir Path folder) {
    try (EmbeddedRedis first = EmbeddedRedis.builder().dataFolder(folder).start()) {
      first.command("SET", "kept", "yes");
    }
    try (EmbeddedRedis second = EmbeddedRedis.builder().dataFolder(folder).start()) {
      assertThat(second.command("GET", "kept")).isEqualTo("yes");
    }
  }

  @Test
  void argumentsReachTheServer() {
    try (EmbeddedRedis small = EmbeddedRedis.builder().args("--maxmemory", "3mb").start()) {
      assertThat(small.command("CONFIG", "GET", "maxmemory")).endsWith("3145728");
      String value = "x".repeat(100_000);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  small.command("SET", "k" + i, value);
                }
              })
          .hasMessageContaining("OOM");
    }
  }

  @Test
  void aPasswordIsAskedForAndStandsInTheUri() {
    try (EmbeddedRedis own = EmbeddedRedis.builder().password("s3cr:t@").start();
        EmbeddedRedis open = EmbeddedRedis.builder().start()) {
      assertThat(own.uri()).isEqualTo("redis://:s3cr%3At%40@127.0.0.1:" + own.port());
      assertThat(own.command("PING")).isEqualTo("PONG");
      assertThat(open.port()).isNotEqualTo(own.port());
    }
  }

  @Test
  void anAclUserIsBoundToItsRules() {
    try (EmbeddedRedis own =
        EmbeddedRedis.builder()
            .user("app", "pw", "~app:*", "+@all", "-@dangerous", "+info")
            .start()) {
      assertThat(own.uri()).isEqualTo("redis://app:pw@127.0.0.1:" + own.port());
      assertThat(own.command("SET", "app:k", "v")).isEqualTo("OK");
      assertThatThrownBy(() -> own.command("SET", "other:k", "v")).hasMessageContaining("NOPERM");
    }
  }

  @Test
  void closingLeavesNoFolder() {
    var before = Folders.of("redis");
    EmbeddedRedis own = EmbeddedRedis.start();
    var with = Folders.of("redis");
    own.close();
    own.close();
    assertThat(with).isNotEqualTo(before);
    with.removeAll(before);
    assertThat(with).allSatisfy(folder -> assertThat(folder).doesNotExist());
  }

  @Test
  void aSettingThatTheServerRefusesFailsTheStartWithTheReason() {
    assertThatThrownBy(() -> EmbeddedRedis.builder().args("--maxmemory", "lots").start())
        .isInstanceOf(ServerStartException.class)
        .hasMessageContaining("Redis")
        .hasMessageContaining("maxmemory");
  }
}
