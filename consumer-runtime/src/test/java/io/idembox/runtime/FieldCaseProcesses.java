package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * What the field cases share: members as processes of their own, looked at from outside alone, a
 * database with the ledger and the counted mails, and the group's offsets.
 */
@Tag("field-cases")
@WithServers({Server.KAFKA, Server.POSTGRES, Server.REDIS})
abstract class FieldCaseProcesses {
  static final Duration SOON = Duration.ofSeconds(60);

  /** Members live for seconds: what a compiler gains them costs more than it brings. */
  static final List<String> QUICK_TO_START = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  final TestScope scope;
  final List<JavaProcess> members = new ArrayList<>();
  TestScope.Database prepared;
  DataSource database;
  String topic;
  String group;

  FieldCaseProcesses(TestScope scope) {
    this.scope = scope;
  }

  /** The shared broker; a class that hurts its broker has one of its own. */
  String brokers() {
    return scope.kafka().bootstrapServers();
  }

  @BeforeEach
  void prepare() {
    prepared =
        scope.postgres(
            "runtime",
            empty -> {
              IdemboxSchema.of(empty).migrate();
              Sink.createTables(empty);
            });
    database = prepared.dataSource();
    topic = "orders-" + scope.namespace();
    group = scope.group("billing");
  }

  @AfterEach
  void stopMembers() {
    members.forEach(JavaProcess::close);
  }

  /** A member with the settings of {@link OffsetCaseMember}. */
  JavaProcess start(String... settings) {
    return start(brokers(), List.of(), settings);
  }

  JavaProcess start(String brokers, List<String> jvm, String... settings) {
    List<String> args =
        new ArrayList<>(List.of(brokers, prepared.jdbcUrl(), scope.redis().uri(), topic, group));
    args.addAll(List.of(settings));
    List<String> jvmArgs = new ArrayList<>(QUICK_TO_START);
    jvmArgs.addAll(jvm);
    JavaProcess member =
        JavaProcess.builder(OffsetCaseMember.class)
            .jvmArgs(jvmArgs.toArray(String[]::new))
            .args(args.toArray(String[]::new))
            .start();
    members.add(member);
    return member;
  }

  void stop(JavaProcess member) {
    member.terminate();
    assertThat(member.awaitExit(SOON)).isEqualTo(143);
  }

  /** Orders {@code o<from>} to {@code o<to - 1>}, each with its id, on one partition. */
  void send(int partition, int from, int to) throws Exception {
    try (Orders orders = new Orders(brokers())) {
      for (int i = from; i < to; i++) {
        orders.send(topic, partition, "m" + i, "o" + i);
      }
      orders.flush();
    }
  }

  static boolean says(JavaProcess member, String text) {
    return member.output().stream().anyMatch(line -> line.contains(text));
  }

  static long lines(JavaProcess member, String text) {
    return member.output().stream().filter(line -> line.contains(text)).count();
  }

  long rows() {
    return count("select count(*) from ledger");
  }

  long mails() {
    return count("select count(*) from sent");
  }

  long inbox() {
    return count("select count(*) from idembox.inbox");
  }

  long letters() {
    return count("select count(*) from idembox.dead_letter");
  }

  long unsettled() {
    return count("select count(*) from idembox.effect where state in (0, 1, 3)");
  }

  long count(String sql) {
    return DatabaseRows.count(database, sql);
  }

  List<String> strings(String sql) {
    return DatabaseRows.strings(database, sql);
  }

  /** Every order has one row and, as soon as the journal owes none, one mail. */
  void assertOncePerOrder(long orders) {
    await().atMost(SOON).until(() -> unsettled() == 0);
    assertThat(rows()).as("rows").isEqualTo(orders);
    assertThat(count("select count(distinct order_id) from ledger")).isEqualTo(orders);
    assertThat(mails()).as("mails").isEqualTo(orders);
    assertThat(count("select count(distinct order_id) from sent")).isEqualTo(orders);
  }

  Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", brokers()));
  }

  /** Makes the topic and waits until its leaders themselves know it. */
  void makeTopic(int partitions) throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
      awaitServed(admin, partitions);
    }
  }

  void awaitServed(Admin admin, int partitions) {
    for (int i = 0; i < partitions; i++) {
      TopicPartition partition = new TopicPartition(topic, i);
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () ->
                  admin.listOffsets(Map.of(partition, OffsetSpec.latest())).all().get().size()
                      == 1);
    }
  }

  void awaitNext(long sumOfOffsets) {
    await().atMost(SOON).until(() -> nextOfAll() == sumOfOffsets);
  }

  /** The group's committed offset, 0 if it has none. */
  long next(int partition) throws Exception {
    OffsetAndMetadata offset = offsets().get(new TopicPartition(topic, partition));
    return offset == null ? 0 : offset.offset();
  }

  long nextOfAll() throws Exception {
    return offsets().values().stream().mapToLong(at -> at == null ? 0 : at.offset()).sum();
  }

  private Map<TopicPartition, OffsetAndMetadata> offsets() throws Exception {
    try (Admin admin = admin()) {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }
  }
}
