package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaSettingsTest {

  @ParameterizedTest
  @CsvSource({
    "enable.auto.commit, true",
    "auto.offset.reset, latest",
    "isolation.level, read_uncommitted",
    "allow.auto.create.topics, true",
    "group.id, another",
    "value.deserializer, org.apache.kafka.common.serialization.StringDeserializer",
    "partition.assignment.strategy, org.apache.kafka.clients.consumer.RangeAssignor"
  })
  void aPropertyThatWouldBreakAPromiseIsRefusedByName(String property, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new KafkaSettings(Map.of("bootstrap.servers", "b:1", property, value), "billing"))
        .withMessageContaining(property)
        .withMessageContaining(value);
  }

  @Test
  void theBrokersAreRequired() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KafkaSettings(Map.of(), "billing"))
        .withMessageContaining("bootstrap.servers");
  }

  @Test
  void theConsumerProtocolGetsNoClientSideAssignor() {
    KafkaSettings settings =
        new KafkaSettings(
            Map.of("bootstrap.servers", "b:1", "group.protocol", "consumer"), "billing");
    assertThat(settings.forConsumer()).doesNotContainKey("partition.assignment.strategy");
  }

  @Test
  void theAdminClientGetsTheConnectionSettingsOnly() {
    KafkaSettings settings =
        new KafkaSettings(
            Map.of("bootstrap.servers", "b:1", "security.protocol", "SSL"), "billing");
    assertThat(settings.forAdmin())
        .containsEntry("security.protocol", "SSL")
        .doesNotContainKeys("group.id", "isolation.level", "key.deserializer");
  }

  /** Kafka refuses clients whose requests may take longer than what they are part of. */
  @ParameterizedTest
  @ValueSource(strings = {"500", "10000", "60000"})
  void anyTimeForARequestMakesClients(String requestTimeout) {
    KafkaSettings settings =
        new KafkaSettings(
            Map.of("bootstrap.servers", "127.0.0.1:1", "request.timeout.ms", requestTimeout),
            "billing");
    Admin.create(settings.forAdmin()).close(Duration.ZERO);
    new KafkaProducer<byte[], byte[]>(settings.forProducer()).close(Duration.ZERO);
    new KafkaConsumer<byte[], byte[]>(settings.forConsumer())
        .close(CloseOptions.timeout(Duration.ZERO));
  }

  @Test
  void aDeliveryOfDeadLettersThatEndsBeforeItsRequestIsRefusedByName() {
    KafkaSettings settings =
        new KafkaSettings(
            Map.of("bootstrap.servers", "127.0.0.1:1", "delivery.timeout.ms", "9000"), "billing");
    assertThatIllegalArgumentException()
        .isThrownBy(settings::forProducer)
        .withMessageContaining("delivery.timeout.ms, 9000")
        .withMessageContaining("10005");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.9.1", "4.2.2"})
  void anOlderClientLibraryIsRefused(String version) {
    assertThatIllegalStateException()
        .isThrownBy(() -> KafkaClientVersion.check(version))
        .withMessageContaining("kafka-clients " + version)
        .withMessageContaining("4.3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4.3.0", "4.3.1-ccs", "5.0.0", "unknown"})
  void aNewerClientLibraryIsTaken(String version) {
    assertThatNoException().isThrownBy(() -> KafkaClientVersion.check(version));
  }
}
