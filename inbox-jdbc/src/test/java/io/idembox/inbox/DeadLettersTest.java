package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.inbox.DeadLetterContent.Header;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.inbox.LetterRetry.NotOpen;
import io.idembox.inbox.LetterRetry.Retried;
import io.idembox.inbox.RecordedLetter.AlreadyHandled;
import io.idembox.inbox.RecordedLetter.AlreadyOpen;
import io.idembox.inbox.RecordedLetter.Recorded;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that were given up: kept byte for byte, and handled once at most, now or later. */
@WithServers(WithServers.Server.POSTGRES)
final class DeadLettersTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final EffectKey KEY = EffectKey.of("mail.invoice").id("o5");

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private DeadLetters letters;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL);
    letters = inbox.deadLetters();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aLetterKeepsEveryByteAndTheRootCauseFirst() {
    byte[] raw = {(byte) 0xCA, (byte) 0xFE, 0, (byte) 0x80};
    List<Header> headers =
        List.of(
            new Header("a", raw),
            new Header("a", new byte[0]),
            new Header("", null),
            new Header("ключ", "wert".getBytes(StandardCharsets.UTF_8)));
    Instant time = Instant.parse("2026-05-06T07:08:09.123Z");
    Exception failure =
        new IllegalStateException(
            "wrapper", new IllegalArgumentException("bad \u0000 byte \ud800!"));

    RecordedLetter recorded =
        letters.record(
            new DeadLetterDraft(
                claim(UUID.randomUUID(), 3),
                new DeadLetterContent(raw, raw, headers, time),
                DeadLetterError.of("undecodable", failure),
                2,
                null));

    DeadLetter letter = letters.show(((Recorded) recorded).id()).orElseThrow();
    assertThat(letter.content().key()).isEqualTo(raw);
    assertThat(letter.content().value()).isEqualTo(raw);
    assertThat(letter.content().headers())
        .extracting(Header::name)
        .containsExactly("a", "a", "", "ключ");
    assertThat(letter.content().headers().get(0).value()).isEqualTo(raw);
    assertThat(letter.content().headers().get(1).value()).isEmpty();
    assertThat(letter.content().headers().get(2).value()).isNull();
    assertThat(letter.content().timestamp()).isEqualTo(time);
    assertThat(letter.topic()).isEqualTo("orders");
    assertThat(letter.claim().offset()).isEqualTo(3);
    assertThat(letter.error().causeClass()).isEqualTo("java.lang.IllegalArgumentException");
    assertThat(letter.error().causeMessage()).isEqualTo("bad  byte !");
    assertThat(letter.error().text())
        .startsWith("java.lang.IllegalArgumentException: bad  byte !")
        .contains("wrapped in java.lang.IllegalStateException: wrapper");
    assertThat(letter.attempts()).isEqualTo(2);
    assertThat(letter.trips()).isEqualTo(1);
    assertThat(letter.state()).isEqualTo(DeadLetterState.OPEN);
  }

  @Test
  void tombstonesAndMissingKeysAreKeptAsSuch() {
    long id = record(UUID.randomUUID(), 0, null);

    assertThat(letters.show(id).orElseThrow().content().key()).isNull();
    assertThat(letters.show(id).orElseThrow().content().value()).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -1})
  void anyTimeThatAProducerWroteIsTaken(long millis) {
    RecordedLetter recorded =
        letters.record(
            new DeadLetterDraft(
                claim(UUID.randomUUID(), 3),
                new DeadLetterContent(null, null, List.of(), Instant.ofEpochMilli(millis)),
                DeadLetterError.of("x", "x", "x"),
                1,
                null));

    Instant kept = letters.show(((Recorded) recorded).id()).orElseThrow().content().timestamp();
    assertThat(kept).isEqualTo(millis == -1 ? Instant.ofEpochMilli(-1) : null);
  }

  @Test
  void aFailureThatCannotBePrintedIsKeptAllTheSame() {
    RuntimeException unprintable =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("made when asked for");
          }
        };

    DeadLetterError error = DeadLetterError.of("x", new RuntimeException("outer", unprintable));

    assertThat(error.causeMessage()).contains("cannot be had");
    assertThat(error.text()).contains("wrapped in java.lang.RuntimeException: outer");
  }

  @Test
  void errorTextsAreCapped() {
    DeadLetterError error =
        DeadLetterError.of("x".repeat(9_000), new RuntimeException("ä".repeat(10_000)));

    assertThat(error.reason().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(8 * 1024);
    assertThat(error.causeMessage().getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThanOrEqualTo(8 * 1024);
    assertThat(error.text().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(8 * 1024);
  }

  @Test
  void theLetterAndTheInboxRowCommitTogether() throws Exception {
    UUID id = UUID.randomUUID();
    inbox.attempts().failed(id, Duration.ofSeconds(1), "first");

    record(id, 0, "x");

    assertThat(fixture.count("idembox.inbox")).isEqualTo(1);
    assertThat(fixture.count("idembox.dead_letter")).isEqualTo(1);
    assertThat(fixture.count("idembox.attempt")).isZero();
    InboxRun again = inbox.run(List.of(claim(id, 0)), batch -> {});
    assertThat(again.fresh().isEmpty()).isTrue();
    assertThat(again.openLetters()).isTrue();
    assertThat(letters.openAmong(List.of(id)).get(0).isFrom(claim(id, 0))).isTrue();
    assertThat(letters.openAmong(List.of(id)).get(0).isFrom(claim(id, 7))).isFalse();
  }

  @Test
  void aMessageThatSomebodyHandledGetsNoLetter() throws Exception {
    UUID id = UUID.randomUUID();
    fixture.open(MAIL).run(List.of(claim(id, 0)), batch -> {});

    assertThat(letters.record(draft(id, 0, "x"))).isInstanceOf(AlreadyHandled.class);
    assertThat(fixture.count("idembox.dead_letter")).isZero();
  }

  @Test
  void aMessageHasOneOpenLetter() {
    UUID id = UUID.randomUUID();
    long first = record(id, 0, "x");

    assertThat(letters.record(draft(id, 5, "y")))
        .isInstanceOfSatisfying(AlreadyOpen.class, open -> assertThat(open.id()).isEqualTo(first));
    assertThat(fixture.count("idembox.dead_letter")).isEqualTo(1);
  }

  @Test
  void aRetryHandlesTheStoredBytesAndClosesTheLetterInOneTransaction() throws Exception {
    long id = record(UUID.randomUUID(), 4, "order 5");

    LetterRetry retry =
        letters.retry(
            id,
            null,
            (letter, tx) -> {
              tx.enqueue("insert into ledger(order_id) values (?)", value(letter));
              tx.effects().afterCommit(MAIL.name(), KEY, "x");
            });

    assertThat(((Retried) retry).run().intents()).hasSize(1);
    assertThat(((Retried) retry).run().intents().get(0).origin().offset()).isEqualTo(4);
    assertThat(fixture.text("select order_id from ledger")).isEqualTo("order 5");
    DeadLetter closed = letters.show(id).orElseThrow();
    assertThat(closed.state()).isEqualTo(DeadLetterState.RETRIED);
    assertThat(closed.closedAt()).isNotNull();
    assertThat(closed.attempts()).isEqualTo(4);
  }

  @Test
  void aClosedLetterIsNotRetriedAgain() throws Exception {
    long id = record(UUID.randomUUID(), 0, "x");
    letters.retry(id, null, this::writeLedger);

    assertThat(letters.retry(id, null, this::writeLedger))
        .isEqualTo(new NotOpen(DeadLetterState.RETRIED));
    assertThat(letters.retry(4711, null, this::writeLedger)).isEqualTo(new NotOpen(null));
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void aRetryThatFailsLeavesTheLetterOpenAndCounted() {
    long id = record(UUID.randomUUID(), 0, "x");

    assertThatThrownBy(
            () ->
                letters.retry(
                    id,
                    null,
                    (letter, tx) -> {
                      writeLedger(letter, tx);
                      throw new IllegalStateException("still broken");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("still broken");

    DeadLetter letter = letters.show(id).orElseThrow();
    assertThat(letter.state()).isEqualTo(DeadLetterState.OPEN);
    assertThat(letter.attempts()).isEqualTo(4);
    assertThat(letter.trips()).isEqualTo(2);
    assertThat(letter.error().causeMessage()).isEqualTo("still broken");
    assertThat(fixture.count("ledger")).isZero();
  }

  @Test
  void twoRetriesOfOneLetterRunOneAfterTheOther() throws Exception {
    long id = record(UUID.randomUUID(), 0, "x");
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    ExecutorService people = Executors.newFixedThreadPool(2);
    try {
      Future<LetterRetry> first =
          people.submit(
              () ->
                  letters.retry(
                      id,
                      null,
                      (letter, tx) -> {
                        writeLedger(letter, tx);
                        inside.countDown();
                        finish.await();
                      }));
      inside.await();
      Future<LetterRetry> second =
          people.submit(() -> fixture.open(MAIL).deadLetters().retry(id, null, this::writeLedger));
      Awaitility.await()
          .until(
              () ->
                  fixture.count(
                          "pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
                      > 0);
      finish.countDown();

      assertThat(first.get().kind()).isEqualTo(LetterRetry.Kind.RETRIED);
      assertThat(second.get()).isEqualTo(new NotOpen(DeadLetterState.RETRIED));
    } finally {
      people.shutdown();
    }
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  /** C56: the record is sent back after the fix, and then once more. */
  @Test
  void c56ACopyThatComesInRetriesTheLetterWithItsOwnBytesOnce() throws Exception {
    UUID id = UUID.randomUUID();
    record(id, 0, "broken");
    InboxClaim copy = claim(id, 17);
    InboxRun run = inbox.run(List.of(copy), batch -> assertThat(batch.fresh()).isEmpty());
    assertThat(run.openLetters()).isTrue();
    OpenLetter open = letters.openAmong(List.of(id)).get(0);
    assertThat(open.isFrom(copy)).isFalse();

    letters.retry(open.id(), content("mended"), this::writeLedger);

    assertThat(fixture.text("select string_agg(order_id, ',') from ledger")).isEqualTo("mended");
    InboxRun second =
        inbox.run(List.of(claim(id, 18)), batch -> assertThat(batch.fresh()).isEmpty());
    assertThat(second.openLetters()).isFalse();
    assertThat(letters.openAmong(List.of(id))).isEmpty();
  }

  @Test
  void whatFailedAttemptsDidOnceIsNotDoneAgainByARetryThoughTheGuardHasForgotten()
      throws Exception {
    UUID id = UUID.randomUUID();
    AtomicInteger runs = new AtomicInteger();
    try (EffectGuard guard = guard()) {
      ConsumerInbox first = fixture.inbox.open(fixture.consumer, EffectCatalog.of(MAIL), guard);
      assertThatThrownBy(
              () ->
                  first.run(
                      List.of(claim(id, 0)),
                      batch -> {
                        pay(batch.begin(0), runs);
                        throw new IllegalStateException("after the payment");
                      }))
          .isInstanceOf(IllegalStateException.class);
      first.deadLetters().record(draft(id, 0, "x"));
    }
    assertThat(fixture.text("select state || '/' || attempt from idembox.effect")).isEqualTo("2/1");

    // The guard's store has lost everything.
    try (EffectGuard emptied = guard()) {
      ConsumerInbox later = fixture.inbox.open(fixture.consumer, EffectCatalog.of(MAIL), emptied);
      long letter = later.deadLetters().openAmong(List.of(id)).get(0).id();
      List<String> receipts = new ArrayList<>();
      later.deadLetters().retry(letter, null, (l, tx) -> receipts.add(pay(tx, runs)));

      assertThat(receipts).containsExactly("paid");
    }
    assertThat(runs).hasValue(1);
  }

  @Test
  void aRecordWhoseEffectIsHeldIsRetriedOnlyAfterTheEffectIsSettled() throws Exception {
    UUID id = UUID.randomUUID();
    RecordedLetter recorded =
        letters.record(
            new DeadLetterDraft(
                claim(id, 0),
                content("x"),
                DeadLetterError.of("held", "held", "outcome unknown"),
                1,
                KEY));
    long letter = ((Recorded) recorded).id();

    assertThat(letters.retry(letter, null, this::writeLedger))
        .isEqualTo(new NotOpen(DeadLetterState.HELD));
    assertThat(letters.releaseHeld(EffectKey.of("mail.invoice").id("other"))).isEmpty();
    assertThat(letters.releaseHeld(KEY)).containsExactly(letter);
    assertThat(letters.retry(letter, null, this::writeLedger).kind())
        .isEqualTo(LetterRetry.Kind.RETRIED);
  }

  @Test
  void aDiscardedLetterCountsAsHandled() throws Exception {
    UUID id = UUID.randomUUID();
    long letter = record(id, 0, "x");

    assertThat(letters.discard(letter, "test data")).isTrue();
    assertThat(letters.discard(letter, "again")).isFalse();

    assertThat(letters.retry(letter, null, this::writeLedger))
        .isEqualTo(new NotOpen(DeadLetterState.DISCARDED));
    assertThat(letters.show(letter).orElseThrow().error().text())
        .startsWith("discarded: test data");
    inbox.run(List.of(claim(id, 9)), batch -> assertThat(batch.fresh()).isEmpty());
  }

  @Test
  void lettersAreListedByStateInPages() {
    long[] ids = new long[5];
    for (int i = 0; i < 5; i++) {
      ids[i] = record(UUID.randomUUID(), i, "x" + i);
    }
    letters.discard(ids[2], "no");

    List<DeadLetter> page = letters.list(EnumSet.of(DeadLetterState.OPEN), 0, 3);
    assertThat(page).extracting(DeadLetter::id).containsExactly(ids[0], ids[1], ids[3]);
    assertThat(letters.list(EnumSet.of(DeadLetterState.OPEN), ids[3], 3))
        .extracting(DeadLetter::id)
        .containsExactly(ids[4]);
    assertThat(page).allSatisfy(letter -> assertThat(letter.content().value()).isNull());
  }

  @Test
  void lettersAreHandedToARelayUntilItNotesThem() {
    long first = record(UUID.randomUUID(), 0, "x");
    long second = record(UUID.randomUUID(), 1, "y");

    letters.relayed(List.of(first));

    assertThat(letters.unrelayed(10)).extracting(DeadLetter::id).containsExactly(second);
    assertThat(value(letters.unrelayed(10).get(0))).isEqualTo("y");
  }

  @Test
  void anotherConsumersLettersAreOutOfReach() throws Exception {
    long id = record(UUID.randomUUID(), 0, "x");
    RegisteredConsumer notify =
        fixture.inbox.register(
            new ConsumerRegistration("notify", "notify", null, InboxFixture.RESOLVER));
    DeadLetters others = fixture.inbox.open(notify, EffectCatalog.of(), null).deadLetters();

    assertThat(others.show(id)).isEmpty();
    assertThat(others.discard(id, "x")).isFalse();
    assertThat(others.retry(id, null, this::writeLedger)).isEqualTo(new NotOpen(null));
  }

  @Test
  void attemptsSurviveARestartAndEndWithSuccess() throws Exception {
    UUID id = UUID.randomUUID();
    UUID other = UUID.randomUUID();
    inbox.attempts().failed(id, Duration.ofMinutes(1), "one");
    assertThat(inbox.attempts().failed(id, Duration.ofHours(1), "two")).isEqualTo(2);
    inbox.attempts().failed(other, Duration.ZERO, "other");

    Attempts.Failed known =
        fixture.open(MAIL).attempts().of(List.of(id, UUID.randomUUID())).get(id);
    assertThat(known.attempts()).isEqualTo(2);
    assertThat(known.lastError()).isEqualTo("two");
    assertThat(known.dueIn()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));

    inbox.run(List.of(claim(id, 0)), batch -> {});
    assertThat(inbox.attempts().of(List.of(id, other))).containsOnlyKeys(other);
  }

  private String pay(InboxTransaction tx, AtomicInteger runs) {
    return tx.effects()
        .once(
            EffectPolicy.defaults(),
            EffectKey.of("payment").id("o5"),
            String.class,
            attempt -> {
              runs.incrementAndGet();
              return "paid";
            });
  }

  private EffectGuard guard() {
    return EffectGuard.builder(new InMemoryEffectStore())
        .namespace(fixture.consumer.namespace())
        .build();
  }

  private void writeLedger(DeadLetter letter, InboxTransaction tx) {
    tx.handle().execute("insert into ledger(order_id) values (?)", value(letter));
  }

  private static String value(DeadLetter letter) {
    return new String(letter.content().value(), StandardCharsets.UTF_8);
  }

  private static DeadLetterContent content(String value) {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    return new DeadLetterContent(null, bytes, Arrays.asList(), null);
  }

  private InboxClaim claim(UUID id, long offset) {
    return new InboxClaim(id, inbox.topicId(InboxFixture.TOPIC, "orders"), 0, offset);
  }

  private DeadLetterDraft draft(UUID id, long offset, String value) {
    return new DeadLetterDraft(
        claim(id, offset),
        content(value),
        DeadLetterError.of("handler failed", new IllegalStateException("broken")),
        3,
        null);
  }

  private long record(UUID id, long offset, String value) {
    return ((Recorded) letters.record(draft(id, offset, value))).id();
  }
}
