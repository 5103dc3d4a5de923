package io.idembox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.EmbeddedServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each contender on a few hundred records: its passes verify themselves, and can fail. */
final class ContendersTest {
  private static final int ORDERS = 300;
  private static final int PARTITIONS = 3;

  private static EmbeddedServers servers;
  private static TopicLoader loader;
  private static final Set<Topic> LOADED = EnumSet.noneOf(Topic.class);

  @BeforeAll
  static void startServers() {
    servers =
        EmbeddedServers.start(
            EmbeddedKafka.builder(), EmbeddedPostgres.builder(), EmbeddedRedis.builder());
    loader = new TopicLoader(servers.kafka(), PARTITIONS, ORDERS);
  }

  @AfterAll
  static void closeServers() {
    servers.close();
  }

  static List<Arguments> everyContenderAndEveryKindOfWorkload() {
    List<Arguments> all = new ArrayList<>();
    for (Contender contender : Workload.FIRST_PASS.contenders()) {
      all.add(Arguments.of(Workload.FIRST_PASS, contender));
    }
    all.add(Arguments.of(Workload.REPLAY, Contender.RAW_POLL));
    all.add(Arguments.of(Workload.REPLAY, Contender.IDEMBOX_ENQUEUE));
    all.add(Arguments.of(Workload.REPLAY_BY_ID, Contender.HAND_TUNED_4));
    all.add(Arguments.of(Workload.REPLAY_BY_ID, Contender.IDEMBOX_ENQUEUE));
    all.add(Arguments.of(Workload.MIXED, Contender.SPRING_BATCH));
    all.add(Arguments.of(Workload.MIXED, Contender.IDEMBOX_ENQUEUE));
    all.add(Arguments.of(Workload.EFFECT_AFTER_COMMIT, Contender.IDEMBOX_ENQUEUE));
    all.add(Arguments.of(Workload.EFFECT_AFTER_COMMIT, Contender.IDEMBOX_NO_EFFECT));
    all.add(Arguments.of(Workload.EFFECT_ONCE, Contender.IDEMBOX_ENQUEUE));
    all.add(Arguments.of(Workload.EFFECT_ONCE, Contender.SPRING_SETNX));
    all.add(Arguments.of(Workload.LARGE_INBOX, Contender.IDEMBOX_ENQUEUE));
    all.add(Arguments.of(Workload.GUARD_LOOKUP, Contender.IDEMBOX_ENQUEUE));
    return all;
  }

  @ParameterizedTest
  @MethodSource("everyContenderAndEveryKindOfWorkload")
  void twoPassesLeaveExactlyTheRowsThatTheyShould(Workload workload, Contender contender) {
    load(workload.topic());
    load(Topic.ORDERS);
    load(Topic.KNOWN);
    try (Passes passes = Passes.of(job(workload, contender, database()))) {
      passes.prepare();
      Pass first = passes.next();
      Pass second = passes.next();

      assertThat(second.records()).isEqualTo(first.records()).isPositive();
      assertThat(second.nanos()).isPositive();
    }
  }

  @Test
  void aRowTooManyIsSeen() throws SQLException {
    load(Topic.ORDERS);
    String database = database();
    try (Passes passes = Passes.of(job(Workload.REPLAY, Contender.IDEMBOX_ENQUEUE, database))) {
      passes.prepare();
      try (Connection connection = servers.postgres().dataSource(database).getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("insert into bench.ledger select * from bench.ledger limit 1");
      }

      assertThatThrownBy(passes::next)
          .isInstanceOf(BenchmarkException.class)
          .hasMessageContaining("301 rows, 300 orders");
    }
  }

  private static void load(Topic topic) {
    if (LOADED.add(topic)) {
      loader.load(topic);
    }
  }

  private static String database() {
    String database = servers.postgres().createDatabase();
    BenchDatabase.create(servers.postgres().dataSource(database));
    return database;
  }

  private static Job job(Workload workload, Contender contender, String database) {
    String url = servers.postgres().jdbcUrl(database);
    return new Job(
        workload,
        contender,
        servers.kafka().bootstrapServers(),
        url,
        url,
        servers.redis().uri(),
        PARTITIONS,
        ORDERS,
        2_500,
        0,
        0,
        null);
  }
}
