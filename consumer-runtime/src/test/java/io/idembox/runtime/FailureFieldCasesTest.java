package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Field cases about records that fail, and where they go then. */
class FailureFieldCasesTest extends FieldCaseProcesses {
  private static final Duration PAUSE = Duration.ofSeconds(8);

  private static EmbeddedKafka kafka;

  FailureFieldCasesTest(TestScope scope) {
    super(scope);
  }

  @BeforeAll
  static void startBroker() {
    kafka =
        EmbeddedKafka.builder()
            .behindRelay()
            .property(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .property("allow.everyone.if.no.acl.found", "true")
            .start();
  }

  @AfterAll
  static void stopBroker() {
    kafka.close();
  }

  @AfterEach
  void mendRelay() {
    kafka.relay().pass();
  }

  @Override
  String brokers() {
    return kafka.bootstrapServers();
  }

  /** Errors of the handler, and a heap that is used up: never alive and not consuming. */
  @Test
  void c09ErrorsEndInLettersAndAnExhaustedHeapEndsTheProcessBySayingSo() throws Exception {
    makeTopic(1);
    try (Orders orders = new Orders(brokers())) {
      for (String id : List.of("o0", "o1", "overflowing", "missing", "greedy")) {
        orders.send(topic, 0, "m-" + id, id);
      }
      orders.flush();
    }
    send(0, 5, 25);

    int deaths =
        restartUntil(
            25,
            member -> {
              assertThat(member.exitCode()).hasValue(OutOfMemory.EXIT_CODE);
              assertThat(member.output())
                  .anyMatch(
                      line -> line.contains(topic + "-0@4") && line.contains("out of memory"));
            },
            List.of("-Xmx128m"),
            "errors",
            "maxAttempts=2");

    assertThat(deaths).as("once unawares, twice with its attempt noted").isBetween(2, 3);
    assertThat(strings("select cause_class from idembox.dead_letter order by \"offset\""))
        .containsExactly(
            "java.lang.StackOverflowError",
            "java.lang.NoClassDefFoundError",
            ProcessEndedException.class.getName());
    assertOncePerOrder(22);
  }

  /** C09, harder: the process is gone before anything can be written about the record. */
  @Test
  void c09ARecordThatEndsItsProcessEachTimeIsADeadLetterInTheEnd() throws Exception {
    makeTopic(1);
    try (Orders orders = new Orders(brokers())) {
      orders.send(topic, 0, "m0", "o0").send(topic, 0, "m1", "killing").send(topic, 0, "m2", "o2");
      orders.flush();
    }

    int deaths =
        restartUntil(
            3,
            member -> assertThat(member.exitCode()).hasValue(137),
            List.of(),
            "errors",
            "maxAttempts=2");

    assertThat(deaths).as("once unawares, twice with its attempt noted").isBetween(2, 3);
    assertThat(strings("select reason from idembox.dead_letter"))
        .containsExactly("the process ended while it was handled");
    assertThat(strings("select order_id from ledger order by position"))
        .containsExactly("o0", "o2");
    assertThat(count("select count(*) from idembox.attempt")).isZero();
  }

  /** (a): SQLSTATE 23502 always; its attempts are counted over a kill. */
  @Test
  void c25aOneBadStatementCostsItsOwnRecordAloneAndSaysTheTrueReason() throws Exception {
    makeTopic(1);
    send(0, 0, 10);

    JavaProcess first = start("nulls=o5:1000", "maxAttempts=6", "backoffMs=700");
    await()
        .atMost(SOON)
        .until(() -> count("select coalesce(max(attempts), 0) from idembox.attempt") >= 2);
    first.kill();
    final long noted = count("select max(attempts) from idembox.attempt");
    start("nulls=o5:1000", "maxAttempts=6");
    awaitNext(10);

    assertOncePerOrder(9);
    assertThat(noted).isBetween(2L, 5L);
    assertThat(strings("select attempts::text from idembox.dead_letter")).containsExactly("6");
    assertThat(strings("select cause_message from idembox.dead_letter"))
        .singleElement()
        .asString()
        .contains("23502", "order_id")
        .doesNotContain("current transaction is aborted");
    assertThat(count("select count(*) from idembox.attempt")).isZero();
  }

  /** (b): twice, and then no more. */
  @Test
  void c25bAStatementThatFailsTwiceLosesNothing() throws Exception {
    makeTopic(1);
    send(0, 0, 10);

    start("nulls=o5:2");
    awaitNext(10);

    assertOncePerOrder(10);
    assertThat(letters()).isZero();
  }

  @Test
  void c54cADeadLetterTopicWithoutThePermissionToWriteHarmsNobody() throws Exception {
    makeTopic(6);
    String dlq = makeLetterTopic();
    AclBinding all = acl(dlq, AclOperation.ALL, AclPermissionType.ALLOW);
    AclBinding noWrite = acl(dlq, AclOperation.WRITE, AclPermissionType.DENY);
    try (Admin admin = admin()) {
      admin.createAcls(List.of(all, noWrite)).all().get();
      sendFailingAndGood();

      JavaProcess member = start("failing=bad", "maxAttempts=2", "dlq=" + dlq);
      member.awaitLine("TopicAuthorizationException", SOON);
      awaitNext(7);
      assertOncePerOrder(6);
      assertThat(relayed()).isZero();
      assertThat(says(member, dlq)).as("the topic is named").isTrue();
      send(0, 10, 11);
      awaitNext(8);
      assertThat(lines(member, "TopicAuthorizationException")).as("bounded").isLessThan(20);

      admin.deleteAcls(List.of(noWrite.toFilter())).all().get();
      await().atMost(SOON).until(() -> relayed() == 1);
      assertThat(recordsIn(dlq)).isEqualTo(1);
    }
  }

  /** The broker does not answer exactly when the letter is sent. */
  @Test
  void c54dABrokerThatPausesAtTheSendGetsTheLetterAfterwards() throws Exception {
    makeTopic(6);
    String dlq = makeLetterTopic();
    JavaProcess member =
        start(
            kafka.relay().address(),
            List.of(),
            "failing=bad",
            "maxAttempts=2",
            "backoffMs=2000",
            "dlq=" + dlq,
            "sessionMs=30000");
    member.awaitLine("Assigned", SOON);
    sendFailingAndGood();
    await().atMost(SOON).until(() -> count("select count(*) from idembox.attempt") == 1);
    kafka.relay().pause();
    await().atMost(SOON).until(() -> letters() == 1);
    long until = System.nanoTime() + PAUSE.toNanos();
    await().atMost(SOON).until(() -> System.nanoTime() > until);
    assertThat(relayed()).as("what is not acknowledged is not believed").isZero();
    assertThat(next(5)).as("nothing can be committed meanwhile").isZero();
    kafka.relay().pass();

    awaitNext(7);
    await().atMost(SOON).until(() -> relayed() == 1);
    assertThat(recordsIn(dlq)).as("a second copy has the same letter's id").isBetween(1L, 2L);
    assertThat(letters()).isEqualTo(1);
    assertOncePerOrder(6);
    assertThat(lines(member, "PollLoop - Assigned: "))
        .as("never thrown out of the group")
        .isEqualTo(1);
  }

  /** (a) the letter is sent back to its topic after the fix; (b) and once more. */
  @Test
  void c56ALetterThatIsSentBackIsHandledOnce() throws Exception {
    makeTopic(1);
    send(0, 0, 10);
    JavaProcess broken = start("failing=o5", "maxAttempts=2");
    awaitNext(10);
    assertThat(strings("select state::text from idembox.dead_letter")).containsExactly("0");
    assertOncePerOrder(9);
    stop(broken);

    JavaProcess fixed = start();
    send(0, 5, 6);
    awaitNext(11);
    assertOncePerOrder(10);
    assertThat(strings("select state::text from idembox.dead_letter")).containsExactly("2");

    send(0, 5, 6);
    awaitNext(12);
    assertOncePerOrder(10);
    assertThat(letters()).isEqualTo(1);
    await().atMost(SOON).until(() -> says(fixed, "BATCH delivered=1 handled=0 skipped=1"));
  }

  private interface Look {
    void at(JavaProcess dead);
  }

  /** As an orchestrator does; returns how often the process ended. */
  private int restartUntil(long offset, Look dead, List<String> jvm, String... settings)
      throws Exception {
    int deaths = 0;
    while (next(0) < offset) {
      JavaProcess member = start(brokers(), jvm, settings);
      await().atMost(SOON).until(() -> !member.isAlive() || next(0) >= offset);
      if (!member.isAlive()) {
        dead.at(member);
        assertThat(++deaths).as("it does not end").isLessThan(8);
      }
    }
    return deaths;
  }

  private void sendFailingAndGood() throws Exception {
    try (Orders orders = new Orders(brokers())) {
      orders.send(topic, 5, "bad", "bad");
      for (int partition = 0; partition < 6; partition++) {
        orders.send(topic, partition, "m" + partition, "o" + partition);
      }
      orders.flush();
    }
  }

  private String makeLetterTopic() throws Exception {
    String dlq = topic + ".dlq";
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic(dlq, 1, (short) 1))).all().get();
    }
    return dlq;
  }

  private static AclBinding acl(String topic, AclOperation what, AclPermissionType permission) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:ANONYMOUS", "*", what, permission));
  }

  private long relayed() {
    return count("select count(*) from idembox.dead_letter where relayed_at is not null");
  }

  private long recordsIn(String letters) throws Exception {
    TopicPartition partition = new TopicPartition(letters, 0);
    try (Admin admin = admin()) {
      return admin
          .listOffsets(Map.of(partition, OffsetSpec.latest()))
          .partitionResult(partition)
          .get()
          .offset();
    }
  }
}
