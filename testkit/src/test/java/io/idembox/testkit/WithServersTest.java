package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

@WithServers({WithServers.Server.KAFKA, WithServers.Server.POSTGRES, WithServers.Server.REDIS})
final class WithServersTest {
  private static final List<String> NAMES = new ArrayList<>();
  private static final AtomicInteger PREPARED = new AtomicInteger();
  private static String classNamespace;

  private TestScope field;
  private TestScope beforeEach;

  @BeforeAll
  static void remember(TestScope scope) {
    classNamespace = scope.namespace();
  }

  @BeforeEach
  void setUp(TestScope scope) {
    assertThat(field).isSameAs(scope);
    beforeEach = scope;
  }

  @RepeatedTest(2)
  void eachTestHasItsOwnNamesOnTheSameServers(TestScope scope) throws SQLException {
    assertThat(scope).isSameAs(beforeEach).isSameAs(field);
    assertThat(scope.namespace()).isNotEqualTo(classNamespace);
    NAMES.add(scope.namespace());
    NAMES.add(scope.topic("orders", 2));
    NAMES.add(scope.group("billing"));
    NAMES.add(scope.postgres().name());
    assertThat(NAMES).doesNotHaveDuplicates();
    run(scope.postgres(), "create table mine(a int)");
    assertThat(scope.kafka().bootstrapServers()).startsWith("127.0.0.1:");
    assertThat(scope.redis().command("PING")).isEqualTo("PONG");
  }

  @Test
  void theSameBaseGivesAnotherTopicButTheSameGroup(TestScope scope) {
    assertThat(scope.topic("orders", 1))
        .startsWith("orders")
        .isNotEqualTo(scope.topic("orders", 1));
    assertThat(scope.group("billing")).isEqualTo(scope.group("billing"));
  }

  @RepeatedTest(2)
  void aTemplateIsPreparedOnceAndCopiedForEach(TestScope scope) throws SQLException {
    TestScope.DatabasePreparer preparer =
        database -> {
          PREPARED.incrementAndGet();
          try (Connection connection = database.getConnection();
              Statement statement = connection.createStatement()) {
            statement.execute("create table migrated(a int)");
          }
        };
    TestScope.Database copy = scope.postgres("migrated", preparer);
    run(copy, "insert into migrated values (1)");
    run(scope.postgres("migrated", preparer), "alter table migrated add unique (a)");
    assertThat(PREPARED).hasValue(1);
  }

  @Nested
  final class Inner {
    @Test
    void aNestedTestHasAScopeToo(TestScope scope) {
      assertThat(field).isSameAs(scope);
      assertThat(scope.namespace()).isNotEqualTo(classNamespace);
    }
  }

  @Test
  void theServersGoWhenTheRunEnds() {
    var before = Folders.of("redis");
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(ASample.class))
        .configurationParameter("junit.jupiter.conditions.deactivate", "*")
        .execute()
        .testEvents()
        .assertStatistics(statistics -> statistics.started(2).succeeded(2));
    assertThat(ASample.PORTS).hasSize(2).containsOnly(ASample.PORTS.get(0));
    assertThat(before).containsAll(Folders.of("redis"));
  }

  private static void run(TestScope.Database database, String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Run by a test of its own, as another module's tests would be. */
  @WithServers
  static final class ASample {
    static final List<Integer> PORTS = new ArrayList<>();

    private final TestScope scope;

    ASample(TestScope scope) {
      this.scope = scope;
    }

    @RepeatedTest(2)
    void usesOnlyRedis(TestScope same) {
      assertThat(same).isSameAs(scope);
      PORTS.add(same.redis().port());
    }
  }
}
