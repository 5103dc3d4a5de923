package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class EmbeddedKafkaTest {
  private static EmbeddedKafka kafka;

  @BeforeAll
  static void start() {
    kafka = EmbeddedKafka.start();
  }

  @AfterAll
  static void close() {
    kafka.close();
  }

  @Test
  void whatIsProducedIsConsumedByAGroup() throws Exception {
    kafka.createTopic("greetings", 2);
    produce(kafka, "greetings", "hello");
    assertThat(consume(kafka, "greetings", 1)).containsExactly("hello");
  }

  @Test
  void aTopicHasThePartitionsSettingsAndIdItWasMadeWith() throws Exception {
    kafka.createTopic("short-lived", 3, Map.of("retention.ms", "60000"));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      var topic =
          admin.describeTopics(List.of("short-lived")).allTopicNames().get().get("short-lived");
      assertThat(topic.partitions()).hasSize(3);
      assertThat(topic.topicId().toString()).isNotEqualTo("AAAAAAAAAAAAAAAAAAAAAA");
    }
  }

  @Test
  void aTopicThatExistsIsRefusedByName() {
    kafka.createTopic("once", 1);
    assertThatThrownBy(() -> kafka.createTopic("once", 1))
        .isInstanceOf(TestkitException.class)
        .hasMessageContaining("once")
        .hasCauseInstanceOf(TopicExistsException.class);
  }

  @Test
  void aRestartKeepsAddressAndRecords() throws Exception {
    try (EmbeddedKafka own = EmbeddedKafka.start()) {
      String address = own.bootstrapServers();
      own.createTopic("kept", 1);
      produce(own, "kept", "before");

      own.restart();

      assertThat(own.bootstrapServers()).isEqualTo(address);
      produce(own, "kept", "after");
      assertThat(consume(own, "kept", 2)).containsExactly("before", "after");
    }
  }

  @Test
  void aBrokerPropertyOverridesOurDefault() throws Exception {
    try (EmbeddedKafka own =
        EmbeddedKafka.builder().property("auto.create.topics.enable", "true").start()) {
      produce(own, "made-on-the-way", "hello");
      assertThat(consume(own, "made-on-the-way", 1)).containsExactly("hello");
    }
  }

  @Test
  void aSettingThatTheBrokerRefusesFailsTheStartWithTheReason() {
    var before = Folders.of("kafka");
    assertThatThrownBy(
            () -> EmbeddedKafka.builder().property("num.network.threads", "none").start())
        .isInstanceOf(ServerStartException.class)
        .hasMessageContaining("Kafka did not start")
        .hasMessageContaining("num.network.threads");
    assertThat(before).containsAll(Folders.of("kafka"));
  }

  private static void produce(EmbeddedKafka kafka, String topic, String value) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers());
    try (var producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(topic, "key", value)).get(20, TimeUnit.SECONDS);
    }
  }

  private static List<String> consume(EmbeddedKafka kafka, String topic, int count) {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            kafka.bootstrapServers(),
            "group.id",
            "readers",
            "auto.offset.reset",
            "earliest");
    List<String> values = new ArrayList<>();
    try (var consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                for (ConsumerRecord<String, String> record :
                    consumer.poll(Duration.ofMillis(200))) {
                  values.add(record.value());
                }
                return values.size() >= count;
              });
    }
    return values;
  }
}
