package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Members come and go, by SIGTERM and SIGKILL, and freeze, at random, while records arrive. Watched
 * all the while: offsets only move forward. Counted at the end: one row and one mail for each
 * order, in the order of their key. {@code -Didembox.soak.seconds} sets the length.
 */
@WithServers({Server.POSTGRES, Server.REDIS})
class RebalanceSoakTest {
  private static final int SECONDS = Integer.getInteger("idembox.soak.seconds", 45);
  private static final int PARTITIONS = 6;
  private static final int MOST_MEMBERS = 3;
  private static final int KEYS = 30;

  private static EmbeddedKafka kafka;
  private final TestScope scope;
  private final List<JavaProcess> members = new ArrayList<>();
  private final Map<Integer, Long> highest = new HashMap<>();
  private TestScope.Database prepared;
  private DataSource database;
  private String topic;
  private String group;
  private Orders orders;
  private int sent;

  RebalanceSoakTest(TestScope scope) {
    this.scope = scope;
  }

  @BeforeAll
  static void startBroker() {
    // Members that die are given up after seconds, under the consumer protocol too.
    kafka =
        EmbeddedKafka.builder()
            .property("group.consumer.min.session.timeout.ms", "6000")
            .property("group.consumer.session.timeout.ms", "6000")
            .property("group.consumer.min.heartbeat.interval.ms", "1000")
            .property("group.consumer.heartbeat.interval.ms", "1000")
            .start();
  }

  @AfterAll
  static void stopBroker() {
    kafka.close();
  }

  @AfterEach
  void stopMembers() {
    members.forEach(JavaProcess::close);
    orders.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void membersComeAndGo(String protocol) throws Exception {
    prepared =
        scope.postgres(
            "runtime",
            empty -> {
              IdemboxSchema.of(empty).migrate();
              Sink.createTables(empty);
            });
    database = prepared.dataSource();
    topic = "soak-" + protocol;
    kafka.createTopic(topic, PARTITIONS);
    group = scope.group("soak");
    orders = new Orders(kafka.bootstrapServers());
    long seed = System.nanoTime();
    Random random = new Random(seed);
    System.out.println("seed " + seed);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);

    members.add(member(protocol));
    while (System.nanoTime() < end) {
      send(20);
      disturb(random, protocol);
      watchOffsets();
    }
    send(20);
    if (members.isEmpty()) {
      members.add(member(protocol));
    }

    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(500))
        .until(() -> watchOffsets() == sent);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                count("select count(*) from idembox.effect where due_at is not null") == 0
                    && count("select count(*) from sent") >= sent);
    assertThat(count("select count(*) from ledger")).as("rows, seed %s", seed).isEqualTo(sent);
    assertThat(count("select count(distinct order_id) from ledger")).isEqualTo(sent);
    assertThat(count("select count(*) from sent")).as("mails, seed %s", seed).isEqualTo(sent);
    assertThat(count("select count(distinct order_id) from sent")).isEqualTo(sent);
    assertThat(rowsOutOfOrder()).as("rows out of their key's order, seed %s", seed).isEmpty();
  }

  /** A member that has passed its start-up checks: one frozen in them refuses to start, rightly. */
  private JavaProcess member(String protocol) {
    JavaProcess member =
        JavaProcess.start(
            SoakMember.class,
            kafka.bootstrapServers(),
            prepared.jdbcUrl(),
            scope.redis().uri(),
            topic,
            group,
            protocol);
    member.awaitLine("Consumer " + group + " (group " + group + ") starts", Duration.ofMinutes(1));
    return member;
  }

  private void disturb(Random random, String protocol) throws InterruptedException {
    for (JavaProcess each : members) {
      assertThat(each.isAlive())
          .as(() -> "a member ended by itself:\n" + String.join("\n", each.output()))
          .isTrue();
    }
    JavaProcess member = members.isEmpty() ? null : members.get(random.nextInt(members.size()));
    switch (random.nextInt(6)) {
      case 0 -> {
        if (member != null) {
          members.remove(member);
          member.kill();
        }
      }
      case 1 -> {
        if (member != null) {
          members.remove(member);
          member.terminate();
          member.awaitExit(Duration.ofSeconds(40));
        }
      }
      case 2 -> {
        if (member != null) {
          member.freeze();
          TimeUnit.MILLISECONDS.sleep(1_000 + random.nextInt(8_000));
          member.thaw();
        }
      }
      default -> {
        if (members.size() < MOST_MEMBERS) {
          members.add(member(protocol));
        }
      }
    }
    // The disturbances need time to meet work; how much is part of the dice.
    TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(2_500));
  }

  private void send(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      int key = sent % KEYS;
      orders.sendKeyed(
          topic, key % PARTITIONS, "key-" + key, "m" + sent, "key-" + key + ":" + sent);
      sent++;
    }
    orders.flush();
  }

  /** Fails if an offset moved back; returns the sum of all. */
  private long watchOffsets() throws Exception {
    long sum = 0;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      Map<TopicPartition, OffsetAndMetadata> offsets =
          admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : offsets.entrySet()) {
        long now = entry.getValue() == null ? 0 : entry.getValue().offset();
        int partition = entry.getKey().partition();
        assertThat(now)
            .as("offset of partition %s", partition)
            .isGreaterThanOrEqualTo(highest.getOrDefault(partition, 0L));
        highest.put(partition, now);
        sum += now;
      }
    }
    return sum;
  }

  /** Rows of a key that were committed before an earlier order of the same key. */
  private List<String> rowsOutOfOrder() {
    return DatabaseRows.strings(
        database,
        """
        select order_id from (
          select order_id, split_part(order_id, ':', 2)::int as number,
            max(split_part(order_id, ':', 2)::int) over (
              partition by split_part(order_id, ':', 1) order by position
              rows between unbounded preceding and 1 preceding) as before
          from ledger) as rows
        where before > number
        """);
  }

  private long count(String sql) {
    return DatabaseRows.count(database, sql);
  }
}
