package io.idembox.runtime;

import static io.idembox.runtime.LetterTopic.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.Fault;
import io.idembox.testkit.TestScope;
import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * C54 (c) and (d): dead letters for a topic that may not be written, and for a broker that falls
 * silent in the middle of the send. The broker gives rights to those who log in; the test itself
 * comes by another door.
 */
class RefusedLettersTest extends ConsumerTestBase {
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required ";

  // Four requests of the producer go without an answer in that time, and a poll loop that waited
  // for one would be thrown out twice. 30 s are three of our usual requests of 10 s, and a tenth of
  // the usual time between two polls.
  private static final Duration SILENCE = Duration.ofSeconds(7);

  private static String plain;
  private static String asking;
  private static EmbeddedKafka broker;
  private Orders sent;
  private String letters;

  RefusedLettersTest(TestScope scope) {
    super(scope);
  }

  @BeforeAll
  static void startBroker() throws IOException {
    plain = "127.0.0.1:" + freePort();
    asking = "127.0.0.1:" + freePort();
    String controller = "127.0.0.1:" + freePort();
    String listeners = "PLAINTEXT://" + plain + ",ASKING://" + asking;
    broker =
        EmbeddedKafka.builder()
            .behindRelay()
            .property("listeners", listeners + ",CONTROLLER://" + controller)
            .property("advertised.listeners", listeners)
            .property("controller.quorum.voters", "1@" + controller)
            .property("inter.broker.listener.name", "PLAINTEXT")
            .property(
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,ASKING:SASL_PLAINTEXT")
            .property("sasl.enabled.mechanisms", "PLAIN")
            .property(
                "listener.name.asking.plain.sasl.jaas.config",
                LOGIN + "user_billing=\"secret\" user_shipping=\"secret\";")
            .property(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .property("super.users", "User:ANONYMOUS")
            .start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void makeTopics() throws Exception {
    letters = topic + ".dlq";
    sent = new Orders(plain);
    try (Admin admin = admin()) {
      admin
          .createTopics(
              List.of(new NewTopic(topic, 3, (short) 1), new NewTopic(letters, 1, (short) 1)))
          .all()
          .get();
    }
  }

  @AfterEach
  void closeProducer() {
    broker.relay().pass();
    sent.close();
  }

  /** Not even whether the topic exists is told to this member. */
  @Test
  void c54cAMemberWithoutAnyRightToTheTopicGoesOnAndCatchesUpOnceItHasOne() throws Exception {
    refusedUntilItMayWrite("billing");
  }

  /** It sees the topic, and then already the first request of its producer is refused. */
  @Test
  void c54cAMemberThatMaySeeTheTopicAndNotWriteItCatchesUpOnceItMay() throws Exception {
    allow("shipping", ResourceType.TOPIC, letters, AclOperation.DESCRIBE);
    refusedUntilItMayWrite("shipping");
  }

  private void refusedUntilItMayWrite(String user) throws Exception {
    allow(user, ResourceType.TOPIC, topic, AclOperation.READ);
    allow(user, ResourceType.GROUP, group, AclOperation.READ);
    sent.sendRaw(topic, 2, "m0", "{\"id\":").send(topic, 1, "m1", "o1").flush();

    start(relaying(asUser(user)));
    awaitCommitted(2);
    await().atMost(SOON).until(() -> copies("failed") >= 3);
    assertThat(unrelayed()).isEqualTo(1);
    assertThat(log.lines(Level.WARN).stream().filter(line -> line.contains(letters)))
        .as("said once, however often it is tried")
        .singleElement()
        .asString()
        .contains("needs WRITE", "uthoriz");
    sent.send(topic, 2, "m2", "o2").flush();
    awaitCommitted(3);
    assertThat(rows("select count(*) from ledger")).isEqualTo(2);

    allow(user, ResourceType.TOPIC, letters, AclOperation.WRITE);

    await().atMost(SOON).until(() -> unrelayed() == 0);
    assertThat(LetterTopic.read(plain, letters)).hasSize(1);
    assertThat(copies("copied")).isEqualTo(1);
  }

  /** The broker has taken the letter, and neither its acknowledgement nor anything else comes. */
  @Test
  void c54dABrokerThatFallsSilentAfterItTookTheLetterHasItOnce() throws Exception {
    silentAtTheSend(broker.relay().dropReplyTo("idembox-letter-id"), Map.of());

    assertThat(LetterTopic.read(plain, letters)).hasSize(1);
  }

  /**
   * What is documented: a second copy, by the same id, where the producer has given up the first.
   */
  @Test
  void c54dABrokerThatIsSilentForLongerThanADeliveryMayHaveItTwiceByTheSameId() throws Exception {
    silentAtTheSend(
        broker.relay().dropReplyTo("idembox-letter-id"), Map.of("delivery.timeout.ms", "3000"));

    List<ConsumerRecord<byte[], byte[]>> copies = LetterTopic.read(plain, letters);
    assertThat(copies).hasSizeBetween(1, 2);
    assertThat(copies)
        .extracting(copy -> header(copy, "idembox-letter-id"))
        .containsOnly(strings("select id from idembox.dead_letter").get(0));
    assertThat(log.complainsOf(letters)).as("it had given up").isTrue();
  }

  private void silentAtTheSend(Fault send, Map<String, String> more) throws Exception {
    sent.sendRaw(topic, 2, "m0", "{\"id\":").send(topic, 1, "m1", "o1").flush();
    Map<String, String> kafka = new HashMap<>(more);
    kafka.put("bootstrap.servers", broker.relay().address());
    kafka.put("request.timeout.ms", "1500");
    kafka.put("default.api.timeout.ms", "1500");
    kafka.put("max.poll.interval.ms", "3000");
    InboxConsumer consumer = start(relaying(kafka));
    send.await(SOON);
    broker.relay().pause();
    String member = member();

    await()
        .during(SILENCE)
        .atMost(SILENCE.multipliedBy(2))
        .until(() -> unrelayed() == 1 && consumer.status().partitions().size() == 3);
    broker.relay().pass();

    await().atMost(SOON).until(() -> unrelayed() == 0);
    awaitCommitted(2);
    assertThat(member()).as("the same member of the group").isEqualTo(member);
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
  }

  private InboxConsumerBuilder relaying(Map<String, String> kafka) {
    return builder().kafka(kafka).deadLetterTopic(letters).subscribe(json(topic, Orders::book));
  }

  private static Map<String, String> asUser(String name) {
    return Map.of(
        "bootstrap.servers",
        asking,
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        LOGIN + "username=\"" + name + "\" password=\"secret\";");
  }

  private String member() throws Exception {
    try (Admin admin = admin()) {
      return admin
          .describeConsumerGroups(List.of(group))
          .describedGroups()
          .get(group)
          .get()
          .members()
          .iterator()
          .next()
          .consumerId();
    }
  }

  private long unrelayed() {
    return rows("select count(*) from idembox.dead_letter where relayed_at is null");
  }

  private double copies(String outcome) {
    Counter counter = meters.find("idembox.letter.copies").tag("outcome", outcome).counter();
    return counter == null ? 0 : counter.count();
  }

  private void allow(String user, ResourceType type, String name, AclOperation operation)
      throws Exception {
    try (Admin admin = admin()) {
      admin
          .createAcls(
              List.of(
                  new AclBinding(
                      new ResourcePattern(type, name, PatternType.LITERAL),
                      new AccessControlEntry(
                          "User:" + user, "*", operation, AclPermissionType.ALLOW))))
          .all()
          .get();
    }
  }

  @Override
  Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", plain));
  }

  private static int freePort() throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    }
  }
}
