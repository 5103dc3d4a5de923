package io.idembox.runtime;

import static io.idembox.runtime.LetterTopic.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.TestScope;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** C54: dead letters on a topic, which may be missing for a while without any harm. */
class LetterRelayTest extends ConsumerTestBase {
  LetterRelayTest(TestScope scope) {
    super(scope);
  }

  /** The offset moves with the letter's row; the relay gets through when the topic is there. */
  @Test
  void c54aTheTopicIsMissingAndThenThere() throws Exception {
    String letters = topic + ".dlq";
    sendOneThatCannotBeRead();

    start(builder().deadLetterTopic(letters).subscribe(json(topic, Orders::book)));
    awaitCommitted(2);
    await().atMost(SOON).until(() -> log.complainsOf(letters));
    assertThat(rows("select count(*) from idembox.dead_letter where relayed_at is null"))
        .isEqualTo(1);

    try (var admin = admin()) {
      admin.createTopics(List.of(new NewTopic(letters, 1, (short) 1))).all().get();
    }
    await()
        .atMost(SOON)
        .until(
            () ->
                rows("select count(*) from idembox.dead_letter where relayed_at is not null") == 1);
    assertThat(read(letters)).hasSize(1);
  }

  /** (b): it has fewer partitions than the record's topic. */
  @Test
  void c54bALetterIsTheRecordByteForByteWithHeadersThatSayWhy() throws Exception {
    String letters = scope.topic("dlq", 1);
    sendOneThatCannotBeRead();

    start(builder().deadLetterTopic(letters).subscribe(json(topic, Orders::book)));
    await()
        .atMost(SOON)
        .until(
            () ->
                rows("select count(*) from idembox.dead_letter where relayed_at is not null") == 1);

    ConsumerRecord<byte[], byte[]> letter = read(letters).get(0);
    assertThat(letter.value()).isEqualTo("{\"id\":".getBytes(StandardCharsets.UTF_8));
    assertThat(letter.key()).isNull();
    assertThat(header(letter, "message-id")).isEqualTo("m0");
    assertThat(header(letter, "idembox-topic")).isEqualTo(topic);
    assertThat(header(letter, "idembox-partition")).isEqualTo("2");
    assertThat(header(letter, "idembox-offset")).isEqualTo("0");
    assertThat(header(letter, "idembox-consumer")).isEqualTo(group);
    assertThat(header(letter, "idembox-attempts")).isEqualTo("0");
    assertThat(header(letter, "idembox-reason")).isEqualTo("cannot be read");
    assertThat(header(letter, "idembox-cause-class")).isEqualTo(DecodingException.class.getName());
    assertThat(header(letter, "idembox-letter-id"))
        .isEqualTo(strings("select id from idembox.dead_letter").get(0));
  }

  /** One that the topic does not take stays a row, and those behind it go out. */
  @Test
  void aLetterThatIsTooLargeKeepsNoOtherBack() throws Exception {
    String letters = scope.topic("dlq", 1, Map.of("max.message.bytes", "2000"));
    orders.sendRaw(topic, 2, "m0", "{" + "x".repeat(5_000));
    orders.sendRaw(topic, 2, "m1", "{\"id\":").send(topic, 1, "m2", "o2").flush();

    start(builder().deadLetterTopic(letters).subscribe(json(topic, Orders::book)));
    await()
        .atMost(SOON)
        .until(
            () ->
                rows("select count(*) from idembox.dead_letter where relayed_at is not null") == 1);

    assertThat(header(read(letters).get(0), "message-id")).isEqualTo("m1");
    assertThat(log.complainsOf(topic + "-2@0 is too large")).isTrue();
    awaitCommitted(3);
  }

  /** The copy of an earlier letter was sent back: its headers make way for those of this one. */
  @Test
  void headersOfAnEarlierLetterAreReplaced() throws Exception {
    String letters = scope.topic("dlq", 1);
    Map<String, byte[]> before = new HashMap<>();
    before.put("message-id", "m0".getBytes(StandardCharsets.UTF_8));
    before.put("idembox-reason", "another".getBytes(StandardCharsets.UTF_8));
    orders.sendBytes(topic, 2, null, new byte[] {1}, before).flush();

    start(builder().deadLetterTopic(letters).subscribe(json(topic, Orders::book)));
    await()
        .atMost(SOON)
        .until(
            () ->
                rows("select count(*) from idembox.dead_letter where relayed_at is not null") == 1);

    assertThat(read(letters).get(0).headers().headers("idembox-reason"))
        .extracting(each -> new String(each.value(), StandardCharsets.UTF_8))
        .containsExactly("cannot be read");
  }

  @Test
  void lettersAreNotSentToATopicThatIsReadHere() {
    InboxConsumerBuilder settings =
        builder().deadLetterTopic(topic).subscribe(json(topic, Orders::book));

    assertThatIllegalArgumentException()
        .isThrownBy(settings::build)
        .withMessageContaining("deadLetterTopic " + topic);
  }

  private void sendOneThatCannotBeRead() throws Exception {
    orders.sendRaw(topic, 2, "m0", "{\"id\":").send(topic, 1, "m1", "o1").flush();
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String from) {
    return LetterTopic.read(scope.kafka().bootstrapServers(), from);
  }
}
