package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.inbox.MessageIdentity.Known;
import io.idembox.inbox.MessageIdentity.Source;
import io.idembox.inbox.MessageIdentity.Unusable;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who a message is (design section 4; C17, C18, C20, C21, C23). */
final class MessageIdResolverTest {
  private static final MessageIdResolver DEFAULTS = MessageIdResolver.defaults();
  private static final UUID ZERO = new UUID(0, 0);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "c232ab00-9414-11ec-b3c8-9f6bdeced846", // version 1
        "919108f7-52d1-4320-9bac-f847db4148a8", // version 4
        "1ec9414c-232a-6b00-b3c8-9f6bdeced846", // version 6
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" // version 7
      })
  void aUuidOfVersions1To7IsItself(String text) {
    assertThat(known(withId(text)).id()).isEqualTo(UUID.fromString(text));
    assertThat(known(withId(text.toUpperCase(java.util.Locale.ROOT))).id())
        .isEqualTo(UUID.fromString(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "320c3d4d-cc00-875b-8ec9-32d5f69181c0", // version 8: could be one of our own hashes
        "919108f7-52d1-4320-1bac-f847db4148a8", // another variant
        "919108f7-52d1-4320-9bac-f847db4148a", // too short
        "919108f752d1-4320-9bac-f847db4148a8-", // dashes elsewhere
        "919108f7-52d1-4320-9bac-f847db4148ag",
        "order-9",
        "9"
      })
  void everyOtherIdBecomesAHashStampedAsVersion8(String text) {
    UUID id = known(withId(text)).id();

    assertThat(id.version()).isEqualTo(8);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.toString()).isNotEqualTo(text);
    assertThat(known(withId(text)).id()).isEqualTo(id);
  }

  @Test
  void idsAreBytesOfAnyEncodingAndLength() {
    byte[] binary = new byte[5_000];
    new Random(1).nextBytes(binary);
    byte[] other = binary.clone();
    other[4_999]++;

    assertThat(known(TestRecord.at(0, 0).header("message-id", binary)).id())
        .isNotEqualTo(known(TestRecord.at(0, 0).header("message-id", other)).id());
    assertThat(known(withId("a\u0000b")).id()).isNotEqualTo(known(withId("ab")).id());
    assertThat(known(withId(" a")).id()).isNotEqualTo(known(withId("a")).id());
    assertThat(known(withId("a".repeat(300))).id())
        .isNotEqualTo(known(withId("a".repeat(301))).id());
  }

  @ParameterizedTest
  @CsvSource(
      value = {"NULL;is null", "'';is empty", "'   ';is blank", "'\t\n';is blank"},
      delimiter = ';',
      nullValues = "NULL")
  void anUnusableHeaderIsNeverPassedOver(String value, String problem) {
    TestRecord first =
        TestRecord.at(0, 3)
            .header("message-id", value)
            .header("ce_id", "1")
            .header("ce_source", "s");
    TestRecord second = TestRecord.at(0, 4).header("message-id", value);

    Unusable answer = unusable(first);
    assertThat(answer.reason()).contains("message-id").contains(problem);
    assertThat(unusable(second).id()).isNotEqualTo(answer.id());
  }

  @Test
  void conflictingHeadersAreRefusedWithBothValuesAndEqualOnesAreOne() {
    assertThat(unusable(withId("x1").header("message-id", "x2")).reason())
        .contains("'x1'")
        .contains("'x2'");
    assertThat(unusable(withId("x1").header("message-id", (String) null)).reason())
        .contains("null");
    assertThat(known(withId("x3").header("message-id", "x3")).id())
        .isEqualTo(known(withId("x3")).id());
  }

  @Test
  void headerNamesAreCaseSensitive() {
    assertThat(known(TestRecord.at(0, 0).header("Message-Id", "x9")).source())
        .isEqualTo(Source.COORDINATES);
  }

  @Test
  void aReasonShowsNoControlCharactersAndStaysShort() {
    String reason =
        unusable(withId("a\u0000b\n" + "x".repeat(10_000)).header("message-id", "y")).reason();

    assertThat(reason).hasSizeLessThan(300).doesNotContain("\u0000").doesNotContain("\n");
  }

  @Test
  void idsAreScopedByTopicNameUnlessTheSubscriptionSaysOtherwise() {
    TestRecord orders = withId("7");
    TestRecord payments = orders.topic("payments", UUID.randomUUID());
    TestRecord copy = orders.topic("orders-copy", UUID.randomUUID());
    MessageIdResolver wide = MessageIdResolver.builder().scope(IdScope.CONSUMER).build();
    MessageIdResolver copies = MessageIdResolver.builder().copyOf("orders").build();

    assertThat(known(payments).id()).isNotEqualTo(known(orders).id());
    assertThat(wide.resolve(payments).id()).isEqualTo(wide.resolve(orders).id());
    assertThat(wide.resolve(orders).id()).isNotEqualTo(known(orders).id());
    assertThat(copies.resolve(copy).id()).isEqualTo(known(orders).id());
    assertThatThrownBy(
            () -> MessageIdResolver.builder().scope(IdScope.CONSUMER).copyOf("orders").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("copyOf");
  }

  @Test
  void uuidsAndCloudEventsReachOverAllTopics() {
    TestRecord uuid = withId("919108f7-52d1-4320-9bac-f847db4148a8");
    TestRecord event = TestRecord.at(0, 0).header("ce_id", "1").header("ce_source", "/shop");

    assertThat(known(uuid.topic("payments", UUID.randomUUID())).id()).isEqualTo(known(uuid).id());
    assertThat(known(event.topic("payments", UUID.randomUUID())).id()).isEqualTo(known(event).id());
  }

  @Test
  void aCloudEventIsKnownBySourceAndIdInBothModes() {
    TestRecord binary = TestRecord.at(0, 0).header("ce_id", "1").header("ce_source", "/shop");
    TestRecord structured =
        TestRecord.at(1, 9)
            .header("content-type", "application/cloudevents+json; charset=UTF-8")
            .value("{\"data\":{\"id\":\"no\"},\"source\":\"/shop\",\"id\":\"1\"}");

    assertThat(known(binary).source()).isEqualTo(Source.CLOUD_EVENT);
    assertThat(known(structured).id()).isEqualTo(known(binary).id());
    assertThat(known(TestRecord.at(0, 0).header("ce_id", "1").header("ce_source", "/bank")).id())
        .isNotEqualTo(known(binary).id());
    assertThat(known(TestRecord.at(0, 0).header("ce_id", "p1").header("ce_source", "/sho")).id())
        .isNotEqualTo(
            known(TestRecord.at(0, 0).header("ce_id", "1").header("ce_source", "/shop")).id());
  }

  @Test
  void aCloudEventWithoutAUsablePairIsUnusable() {
    assertThat(unusable(TestRecord.at(0, 0).header("ce_id", "1")).reason()).contains("ce_source");
    assertThat(unusable(TestRecord.at(0, 0).header("ce_id", " ").header("ce_source", "s")).reason())
        .contains("ce_id is blank");
    TestRecord structured = TestRecord.at(0, 0).header("content-type", "application/cloudevents");
    assertThat(unusable(structured.value("{\"source\":\"s\"}")).reason()).contains("no id");
    assertThat(unusable(structured.value("{\"id\":7,\"source\":\"s\"}")).reason())
        .contains("no string");
    assertThat(unusable(structured.value("{\"id\":\"1\",\"id\":\"2\",\"source\":\"s\"}")).reason())
        .contains("two different values");
    assertThat(unusable(structured.value("secret{")).reason()).doesNotContain("secret");
  }

  @Test
  void otherCloudEventFormatsAndBatchesAreLeftToTheExtractor() {
    assertThat(
            known(
                    TestRecord.at(0, 0)
                        .header("content-type", "application/cloudevents-batch+json")
                        .value("[]"))
                .source())
        .isEqualTo(Source.COORDINATES);
  }

  @Test
  void anExtractorIsAskedWhenNoHeaderIsThere() {
    MessageIdResolver resolver = MessageIdResolver.builder().jsonPointer("/event/id").build();

    assertThat(
            ((Known) resolver.resolve(TestRecord.at(0, 0).value("{\"event\":{\"id\":\"e1\"}}")))
                .source())
        .isEqualTo(Source.EXTRACTOR);
    assertThat(resolver.resolve(TestRecord.at(0, 0).value("{\"event\":{\"id\":\"e1\"}}")).id())
        .isEqualTo(known(withId("e1")).id());
    assertThat(resolver.resolve(TestRecord.at(0, 0).value("{\"event\":{\"id\":41}}")).id())
        .isEqualTo(known(withId("41")).id());
    assertThat(((Known) resolver.resolve(TestRecord.at(0, 0).value("{}"))).source())
        .isEqualTo(Source.COORDINATES);
    assertThat(((Known) resolver.resolve(TestRecord.at(0, 0).value(null))).source())
        .isEqualTo(Source.COORDINATES);
    assertThat(resolver.resolve(TestRecord.at(0, 0).value("{\"event\":{\"id\":\" \"}}")).kind())
        .isEqualTo(MessageIdentity.Kind.UNUSABLE);
    assertThat(((Unusable) resolver.resolve(TestRecord.at(0, 0).value("secret"))).reason())
        .contains("json:/event/id")
        .doesNotContain("secret");
  }

  @Test
  void coordinatesAreTheReservedVariantAndGrowWithTheOffset() {
    UUID before = null;
    for (long offset : new long[] {0, 1, 2, 255, 256, 1L << 40, (1L << 61) - 1}) {
      UUID id = known(TestRecord.at(3, offset)).id();
      assertThat(id.variant()).isEqualTo(7);
      if (before != null) {
        assertThat(grows(before, id)).isTrue();
      }
      before = id;
    }
    assertThat(known(TestRecord.at(4, 0)).id()).isNotEqualTo(known(TestRecord.at(3, 0)).id());
  }

  @Test
  void coordinatesOfAllPartitionsGrowWithTheRecordsTime() {
    UUID first = known(TestRecord.at(3, 900).time(1_790_000_000_000L)).id();
    UUID second = known(TestRecord.at(4, 7).time(1_790_000_000_001L)).id();
    UUID third = known(TestRecord.at(3, 901).time(1_790_000_000_002L)).id();

    assertThat(grows(first, second)).isTrue();
    assertThat(grows(second, third)).isTrue();
    assertThat(first.variant()).isEqualTo(7);
  }

  @Test
  void recordsOfOneMillisecondHaveCoordinatesOfTheirOwn() {
    Set<UUID> ids = new HashSet<>();
    for (int partition = 0; partition < 50; partition++) {
      for (int offset = 0; offset < 200; offset++) {
        ids.add(known(TestRecord.at(partition, offset << 16).time(1_790_000_000_000L)).id());
      }
    }

    assertThat(ids).hasSize(10_000);
  }

  private static boolean grows(UUID from, UUID to) {
    int high = Long.compareUnsigned(from.getMostSignificantBits(), to.getMostSignificantBits());
    return high < 0
        || (high == 0
            && Long.compareUnsigned(from.getLeastSignificantBits(), to.getLeastSignificantBits())
                < 0);
  }

  @Test
  void aRecordThatTookAnothersOffsetAfterATruncationHasOtherCoordinates() {
    TestRecord record = TestRecord.at(0, 90).epoch(5);

    assertThat(known(record.epoch(6)).id()).isNotEqualTo(known(record).id());
    assertThat(known(record.epoch(5)).id()).isEqualTo(known(record).id());
    assertThat(known(record.epoch(6).header("message-id", "x")).id())
        .isEqualTo(known(record.header("message-id", "x")).id());
  }

  @Test
  void aTopicMadeAgainHasOtherCoordinates() {
    TestRecord record = TestRecord.at(0, 0);

    assertThat(known(record.topic("orders", UUID.randomUUID())).id())
        .isNotEqualTo(known(record).id());
    assertThat(known(record.topic("renamed", TestRecord.ORDERS)).id())
        .isEqualTo(known(record).id());
  }

  @Test
  void withoutATopicIdThereAreNoCoordinatesToGoBy() {
    TestRecord record = TestRecord.at(0, 0).topic("orders", ZERO);

    assertThat(unusable(record).reason()).contains("topic id");
    assertThat(unusable(record).id())
        .isNotEqualTo(unusable(TestRecord.at(0, 1).topic("orders", ZERO)).id())
        .isNotEqualTo(unusable(record.topic("payments", ZERO)).id());
    assertThat(known(record.header("message-id", "x")).source()).isEqualTo(Source.HEADER);
  }

  @Test
  void theFingerprintNamesEverySettingThatChangesIds() {
    assertThat(DEFAULTS.fingerprint())
        .isEqualTo("v1 header=message-id cloud-events=on extractor=- scope=topic");
    assertThat(
            MessageIdResolver.builder()
                .noHeader()
                .cloudEvents(false)
                .jsonPointer("/id")
                .copyOf("orders")
                .build()
                .fingerprint())
        .isEqualTo("v1 header=- cloud-events=off extractor=json:/id scope=copy-of:orders");
  }

  private static TestRecord withId(String id) {
    return TestRecord.at(0, 0).header("message-id", id);
  }

  private static Known known(InboundRecord record) {
    return (Known) DEFAULTS.resolve(record);
  }

  private static Unusable unusable(InboundRecord record) {
    return (Unusable) DEFAULTS.resolve(record);
  }
}
