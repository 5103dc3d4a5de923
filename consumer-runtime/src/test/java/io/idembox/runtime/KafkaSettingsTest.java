package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
