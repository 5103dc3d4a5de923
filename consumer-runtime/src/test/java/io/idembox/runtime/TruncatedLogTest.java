package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.TestScope;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * P3: a leader that takes over with less of the log than was read, as after an unclean election.
 * Other records stand at offsets that are done, and the log is longer than what was read.
 */
class TruncatedLogTest extends ConsumerTestBase {
  private static final int KEPT = 10;
  private static final int READ = 20;
  private static final int AFTERWARDS = 15;

  @TempDir private Path copies;
  private EmbeddedKafka broker;

  TruncatedLogTest(TestScope scope) {
    super(scope);
  }

  @BeforeEach
  void ownBroker() {
    broker = EmbeddedKafka.start();
    orders.close();
    orders = new Orders(broker.bootstrapServers());
    broker.createTopic(topic, 1);
  }

  @AfterEach
  void stopBroker() {
    consumers.forEach(InboxConsumer::close);
    broker.close();
  }

  @Test
  void aMemberThatStartsAtItsOwnOffsetReadsTheNewLeadersRecords() throws Exception {
    readAndTruncate();

    start(settings());

    awaitAllThatIsInTheLog();
  }

  @Test
  void aMemberThatStartsAtWhatTheDatabaseKnowsReadsTheNewLeadersRecords() throws Exception {
    readAndTruncate();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      admin.deleteConsumerGroupOffsets(group, Set.of(new TopicPartition(topic, 0))).all().get();
    }

    start(settings());

    awaitAllThatIsInTheLog();
  }

  private void readAndTruncate() throws Exception {
    produce(0, KEPT);
    copyLog();
    produce(KEPT, READ);
    try (InboxConsumer consumer = start(settings())) {
      await().atMost(SOON).until(() -> rows("select count(*) from ledger") == READ);
      awaitSettled(consumer);
    }
    putLogBack();
    produce(READ, READ + AFTERWARDS);
  }

  private void awaitAllThatIsInTheLog() {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(rows("select count(*) from ledger"))
                    .as("what was lost with the old leader, and all that the new one has")
                    .isEqualTo(READ + AFTERWARDS));
    assertThat(log.complainsOf("was cut off at " + KEPT)).isTrue();
  }

  private InboxConsumerBuilder settings() {
    return builder()
        .kafka(Map.of("bootstrap.servers", broker.bootstrapServers()))
        .subscribe(json(topic, Orders::book));
  }

  private void produce(int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
  }

  private void copyLog() throws Exception {
    broker.stop();
    DataDirectories.copy(log(), copies);
    broker.restart();
  }

  private void putLogBack() throws Exception {
    broker.stop();
    DataDirectories.empty(log());
    DataDirectories.copy(copies, log());
    broker.restart();
  }

  private Path log() {
    return broker.dataDirectory().resolve(topic + "-0");
  }
}
