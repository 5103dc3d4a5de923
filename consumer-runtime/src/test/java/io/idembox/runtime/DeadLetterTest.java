package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOperations;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.effect.OnUnknown;
import io.idembox.inbox.DeadLetter;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetterState;
import io.idembox.inbox.InboxTransaction;
import io.idembox.inbox.LetterRetry;
import io.idembox.testkit.TestScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Records that are given up: when, with what, and how they are handled after all. */
class DeadLetterTest extends ConsumerTestBase {
  private static final byte[] CORRUPT = {(byte) 0xCA, (byte) 0xFE, 0, (byte) 0x80};

  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final AtomicBoolean works = new AtomicBoolean();

  DeadLetterTest(TestScope scope) {
    super(scope);
  }

  /** C22: offset 3 of 7 is garbage; its neighbours are handled once each, and none runs again. */
  @Test
  void whatCannotBeDecodedIsKeptByteForByteAndItsPartitionGoesOn() throws Exception {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    headers.put("message-id", "broken".getBytes(StandardCharsets.UTF_8));
    headers.put("raw", new byte[] {0, (byte) 0xFF});
    sendOrders(0, 3);
    orders.sendBytes(topic, 0, new byte[] {(byte) 0x80}, CORRUPT, headers);
    sendOrders(3, 3);
    orders.flush();

    InboxConsumer consumer = started(this::book);
    awaitCommitted(7);

    assertThat(handled).containsExactly("o0", "o1", "o2", "o3", "o4", "o5");
    assertThat(rows("select count(*) from ledger")).isEqualTo(6);
    DeadLetter letter = onlyLetter(consumer);
    assertThat(letter.state()).isEqualTo(DeadLetterState.OPEN);
    assertThat(letter.content().value()).isEqualTo(CORRUPT);
    assertThat(letter.content().key()).containsExactly(0x80);
    assertThat(letter.content().headers())
        .extracting(DeadLetterContent.Header::name)
        .containsExactly("message-id", "raw");
    assertThat(letter.content().headers().get(1).value()).containsExactly(0, 0xFF);
    assertThat(letter.topic()).isEqualTo(topic);
    assertThat(letter.claim().offset()).isEqualTo(3);
    assertThat(letter.error().reason()).isEqualTo("cannot be read");
    assertThat(meters.get("idembox.records").tag("outcome", "dead").counter().count()).isEqualTo(1);
  }

  /** C22 (b): the decoder's own service is away; the records may be fine. */
  @Test
  void whatCannotBeDecodedForAWhileIsKeptAndHandledAfterwards() throws Exception {
    sendOrders(0, 5);
    orders.flush();

    InboxConsumer consumer =
        start(
            builder()
                .maxAttempts(1)
                .subscribe(
                    Subscription.topics(topic)
                        .decodedBy(
                            (topic, recordHeaders, value) -> {
                              if (!works.get()) {
                                throw DecodingException.temporary("the registry is away", null);
                              }
                              return new String(value, StandardCharsets.UTF_8);
                            },
                            (message, tx) -> handled.add(message.value()))));
    await().atMost(SOON).until(() -> log.complainsOf("the registry is away"));
    works.set(true);
    awaitCommitted(5);

    assertThat(handled).hasSize(5);
    assertThat(letters(consumer)).isEmpty();
  }

  /** C17: never two such records taken for one. */
  @Test
  void aRecordWithAnUnusableIdIsDeadUnderItsCoordinates() throws Exception {
    orders.send(topic, 0, " ", "o0").send(topic, 0, " ", "o1").send(topic, 0, "m2", "o2").flush();

    InboxConsumer consumer = started(this::book);
    awaitCommitted(3);

    assertThat(handled).containsExactly("o2");
    assertThat(letters(consumer)).hasSize(2);
    assertThat(letters(consumer).get(0).error().causeMessage()).contains("message-id");
  }

  @Test
  void aPermanentFailureIsADeadLetterAtOnce() throws Exception {
    sendOrders(0, 3);
    orders.flush();
    AtomicInteger attempts = new AtomicInteger();

    InboxConsumer consumer =
        started(
            (message, tx) -> {
              if (message.offset() == 1) {
                attempts.incrementAndGet();
                throw new PermanentFailureException("no such customer");
              }
              book(message, tx);
            });
    awaitCommitted(3);

    assertThat(handled).contains("o0", "o2");
    assertThat(onlyLetter(consumer).error().causeMessage()).isEqualTo("no such customer");
    assertThat(attempts.get()).as("once in its batch, once alone").isLessThanOrEqualTo(2);
  }

  @Test
  void theJudgeSaysWhichOfAHandlersFailuresArePermanent() throws Exception {
    sendOrders(0, 2);
    orders.flush();

    InboxConsumer consumer =
        start(
            builder()
                .failureJudge(
                    failure ->
                        failure instanceof ArithmeticException
                            ? FailureJudge.Verdict.PERMANENT
                            : FailureJudge.Verdict.UNDECIDED)
                .subscribe(
                    json(
                        topic,
                        (message, tx) -> {
                          if (message.offset() == 0) {
                            throw new ArithmeticException("of this record");
                          }
                          book(message, tx);
                        })));
    awaitCommitted(2);

    assertThat(onlyLetter(consumer).error().reason()).isEqualTo("failed for good");
  }

  /** C05: what is ordered behind it waits, and goes on when it is given up. */
  @Test
  void aRecordThatUsesUpItsAttemptsIsADeadLetter() throws Exception {
    sendOrders(0, 3);
    orders.flush();

    InboxConsumer consumer =
        start(failingFirst().maxAttempts(3).subscribe(json(topic, this::fail0)));
    awaitCommitted(3);

    assertThat(handled).containsExactly("o0", "o0", "o0", "o1", "o2");
    DeadLetter letter = onlyLetter(consumer);
    assertThat(letter.attempts()).isEqualTo(3);
    assertThat(letter.error().reason()).isEqualTo("failed 3 times");
    assertThat(letter.error().causeMessage()).isEqualTo("of o0");
    assertThat(rows("select count(*) from idembox.attempt")).isZero();
    assertThat(rows("select count(*) from ledger")).isEqualTo(2);
  }

  @Test
  void attemptsSurviveARestart() throws Exception {
    sendOrders(0, 1);
    orders.flush();
    try (InboxConsumer first =
        start(
            failingFirst()
                .retryBackoff(Duration.ofMillis(20), Duration.ofMillis(50))
                .subscribe(json(topic, this::fail0)))) {
      await().atMost(SOON).until(() -> handled.size() >= 4 && first.status() != null);
    }
    int before = handled.size();
    assertThat(rows("select attempts from idembox.attempt")).isEqualTo(before);

    InboxConsumer second =
        start(failingFirst().maxAttempts(before + 2).subscribe(json(topic, this::fail0)));
    awaitCommitted(1);

    assertThat(handled).hasSize(before + 2);
    assertThat(onlyLetter(second).attempts()).isEqualTo(before + 2);
  }

  /** C56: a copy at other coordinates is a retry of the letter, the record itself is not. */
  @Test
  void aCopyOfADeadRecordIsARetryOfItsLetter() throws Exception {
    sendOrders(0, 1);
    orders.flush();
    InboxConsumer consumer =
        start(failingFirst().maxAttempts(1).subscribe(json(topic, this::fail0)));
    awaitCommitted(1);

    orders.send(topic, 1, "m0", "o0").flush();
    await().atMost(SOON).until(() -> committed(1) == 1);
    assertThat(onlyLetter(consumer).state()).as("it failed again").isEqualTo(DeadLetterState.OPEN);
    assertThat(onlyLetter(consumer).trips()).isEqualTo(2);

    works.set(true);
    orders.send(topic, 1, "m0", "o0").send(topic, 1, "m0", "o0").flush();
    await().atMost(SOON).until(() -> committed(1) == 3);
    awaitSettled(consumer);

    assertThat(onlyLetter(consumer).state()).isEqualTo(DeadLetterState.RETRIED);
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
    assertThat(rows("select count(*) from sent")).isEqualTo(1);
    assertThat(handled).as("first, failed copy, good copy; not the third").hasSize(3);
  }

  @Test
  void theDeadRecordItselfDeliveredAgainIsNoRetry() throws Exception {
    sendOrders(0, 1);
    orders.flush();
    try (InboxConsumer first =
        start(failingFirst().maxAttempts(1).subscribe(json(topic, this::fail0)))) {
      awaitCommitted(1);
      assertThat(letters(first)).hasSize(1);
    }
    works.set(true);
    rewind();
    reports.clear();

    InboxConsumer second = started(this::fail0);
    await().atMost(SOON).until(() -> reports.stream().anyMatch(report -> report.skipped() == 1));
    orders.send(topic, 1, "m1", "o1").flush();
    awaitCommitted(2);

    assertThat(onlyLetter(second).state()).isEqualTo(DeadLetterState.OPEN);
  }

  @Test
  void aPersonRetriesALetterWithCorrectedBytes() throws Exception {
    orders.sendRaw(topic, 0, "m0", "{\"id\":").flush();
    InboxConsumer consumer = started(this::book);
    awaitCommitted(1);
    DeadLetter letter = onlyLetter(consumer);

    assertThatThrownBy(() -> consumer.retryDeadLetter(letter.id(), null))
        .isInstanceOf(UndecodableRecordException.class);
    LetterRetry retry =
        consumer.retryDeadLetter(
            letter.id(),
            letter
                .content()
                .withValue("{\"id\":\"o0\",\"amount\":7}".getBytes(StandardCharsets.UTF_8)));

    assertThat(retry.kind()).isEqualTo(LetterRetry.Kind.RETRIED);
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
    assertThat(rows("select count(*) from sent")).isEqualTo(1);
  }

  /** C44, with the effect inside of the handler: nobody knows, so a person decides. */
  @Test
  void aLetterOfATopicThatNobodyHandlesAnyMoreStaysOpen() throws Exception {
    orders.sendRaw(topic, 0, "m0", "{\"id\":").flush();
    InboxConsumer before = started(this::book);
    awaitCommitted(1);
    DeadLetter letter = onlyLetter(before);
    before.close();

    InboxConsumer after = start(builder().subscribe(json(scope.topic("others", 1), this::book)));

    assertThatThrownBy(() -> after.retryDeadLetter(letter.id(), null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(topic);
    assertThat(onlyLetter(after).id()).isEqualTo(letter.id());
  }

  @Test
  void aRecordWhoseEffectIsHeldWaitsUntilThatIsSettledAndDoesNotRunItAgain() throws Exception {
    InMemoryEffectStore store = new InMemoryEffectStore();
    EffectPolicy held = EffectPolicy.builder().onUnknown(OnUnknown.HOLD).maxAttempts(1).build();
    EffectKey key = EffectKey.of("mail.invoice").id("o0");
    AtomicInteger runs = new AtomicInteger();
    sendOrders(0, 2);
    orders.flush();

    InboxConsumer consumer =
        start(
            InboxConsumer.builder()
                .name(group)
                .kafka(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))
                .dataSource(database)
                .effectStore(store)
                .subscribe(
                    json(
                        topic,
                        (message, tx) -> {
                          if (message.offset() == 0) {
                            tx.effects()
                                .once(
                                    held,
                                    key,
                                    String.class,
                                    attempt -> {
                                      runs.incrementAndGet();
                                      throw new IllegalStateException("cut off after the send");
                                    });
                          }
                          tx.enqueue(
                              "insert into ledger(order_id, message_id) values (?, ?)",
                              message.value().id(),
                              message.id());
                        })));
    awaitCommitted(2);
    assertThat(onlyLetter(consumer).state()).isEqualTo(DeadLetterState.HELD);
    assertThat(consumer.retryDeadLetter(onlyLetter(consumer).id(), null).kind())
        .isEqualTo(LetterRetry.Kind.NOT_OPEN);

    String namespace = strings("select name from idembox.effect_namespace").get(0);
    try (EffectGuard people = EffectGuard.builder(store).namespace(namespace).build()) {
      assertThat(people.operations().resolveDone(key, "sent after all", Duration.ofDays(1)))
          .isEqualTo(EffectOperations.Decision.APPLIED);
    }
    assertThat(consumer.retryLettersHeldBy(key)).isEqualTo(1);

    assertThat(runs).hasValue(1);
    assertThat(rows("select count(*) from ledger")).isEqualTo(2);
    assertThat(onlyLetter(consumer).state()).isEqualTo(DeadLetterState.RETRIED);
  }

  /** C09: what is thrown is no exception, and no reason to stop. */
  @Test
  void errorsOfAHandlerAreItsRecordsFailures() throws Exception {
    sendOrders(0, 24);
    orders.flush();

    InboxConsumer consumer =
        start(
            failingFirst()
                .maxAttempts(2)
                .subscribe(
                    json(
                        topic,
                        (message, tx) -> {
                          if (message.offset() == 2) {
                            throw new StackOverflowError();
                          } else if (message.offset() == 3) {
                            throw new NoClassDefFoundError("io/gone/Missing");
                          }
                          book(message, tx);
                        })));
    awaitCommitted(24);

    assertThat(rows("select count(*) from ledger")).isEqualTo(22);
    assertThat(letters(consumer))
        .extracting(letter -> letter.error().causeClass())
        .containsExactly("java.lang.StackOverflowError", "java.lang.NoClassDefFoundError");
  }

  private InboxConsumerBuilder failingFirst() {
    return builder();
  }

  private void fail0(InboxMessage<Orders.Order> message, InboxTransaction tx) {
    if (message.value().id().equals("o0") && !works.get()) {
      handled.add("o0");
      throw new IllegalStateException("of o0");
    }
    book(message, tx);
  }

  private void book(InboxMessage<Orders.Order> message, InboxTransaction tx) {
    handled.add(message.value().id());
    Orders.book(message, tx);
  }

  private void sendOrders(int first, int count) {
    for (int i = first; i < first + count; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
  }

  private static List<DeadLetter> letters(InboxConsumer consumer) {
    return consumer.deadLetters().list(EnumSet.allOf(DeadLetterState.class), 0, 100).stream()
        .map(letter -> consumer.deadLetters().show(letter.id()).orElseThrow())
        .toList();
  }

  private static DeadLetter onlyLetter(InboxConsumer consumer) {
    List<DeadLetter> letters = letters(consumer);
    assertThat(letters).hasSize(1);
    return letters.get(0);
  }
}
