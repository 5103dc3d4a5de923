package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What may be forgotten, and what never. */
@WithServers(WithServers.Server.POSTGRES)
final class PrunerTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final PrunePolicy AT_ONCE = PrunePolicy.DEFAULT.withRoundInterval(Duration.ZERO);

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private InboxPartition p0;
  private InboxPartition p1;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL);
    int topic = inbox.topicId(InboxFixture.TOPIC, "orders");
    p0 = new InboxPartition(topic, 0);
    p1 = new InboxPartition(topic, 1);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void oldRowsInsideTheRangesGoAfterOneMoreWalk() throws Exception {
    UUID[] ids = handledDaysAgo(15, 10);
    readUntilNow(p0, OffsetRanges.of(0, 6));

    assertThat(walk(p0)).isZero();
    assertThat(walk(p0)).isEqualTo(6);

    // Rows outside stay for ever, and those inside are skipped without a row.
    assertThat(fixture.count("idembox.inbox")).isEqualTo(4);
    inbox.run(InboxFixture.claims(inbox, ids), batch -> assertThat(batch.fresh()).isEmpty());
  }

  @Test
  void youngRowsStay() throws Exception {
    handledDaysAgo(13, 10);
    readUntilNow(p0, OffsetRanges.of(0, 10));

    assertThat(walk(p0) + walk(p0) + walk(p0)).isZero();
    assertThat(fixture.count("idembox.inbox")).isEqualTo(10);
  }

  @Test
  void rowsAreKeptWhileAnyPartitionIsNotReadUpToALogEnd() throws Exception {
    handledDaysAgo(15, 10);
    readUntilNow(p0, OffsetRanges.of(0, 10));

    assertThat(walk(p0, p1) + walk(p0, p1) + walk(p0, p1)).isZero();

    readUntilNow(p1, OffsetRanges.EMPTY);
    assertThat(walk(p0, p1)).isEqualTo(10);
  }

  /** C35: the service was down for longer than the retention, and the tail comes again. */
  @Test
  void c35TheRetentionCountsBackFromWhereTheSlowestPartitionWasRead() throws Exception {
    handledDaysAgo(15, 10);
    readUntil(p0, OffsetRanges.of(0, 10), Instant.now());
    // The other partition was read a day ago: a copy in it may be up to a day older than now.
    readUntil(p1, OffsetRanges.EMPTY, Instant.now().minus(Duration.ofDays(2)));

    assertThat(walk(p0, p1) + walk(p0, p1) + walk(p0, p1)).isZero();
    assertThat(fixture.count("idembox.inbox")).isEqualTo(10);
  }

  @Test
  void rowsWithAnOpenDeadLetterStay() throws Exception {
    UUID dead = UUID.randomUUID();
    inbox
        .deadLetters()
        .record(
            new DeadLetterDraft(
                InboxFixture.claims(inbox, dead).get(0),
                new DeadLetterContent(null, null, List.of(), null),
                DeadLetterError.of("x", "x", "x"),
                1,
                null));
    fixture.execute("update idembox.inbox set recorded_at = now() - interval '15 days'");
    readUntilNow(p0, OffsetRanges.of(0, 1));
    assertThat(walk(p0) + walk(p0) + walk(p0)).isZero();

    inbox.deadLetters().discard(inbox.deadLetters().openAmong(List.of(dead)).get(0).id(), "x");
    assertThat(walk(p0)).isEqualTo(1);
  }

  @Test
  void anotherConsumersRowsAreItsOwnBusiness() throws Exception {
    UUID[] ids = handledDaysAgo(15, 10);
    RegisteredConsumer notify =
        fixture.inbox.register(
            new ConsumerRegistration("notify", "notify", null, InboxFixture.RESOLVER));
    ConsumerInbox other = fixture.inbox.open(notify, io.idembox.effect.EffectCatalog.of(), null);
    other.run(InboxFixture.claims(other, ids), b -> {});
    fixture.execute("update idembox.inbox set recorded_at = now() - interval '15 days'");
    readUntilNow(p0, OffsetRanges.of(0, 10));

    walk(p0);
    assertThat(walk(p0)).isEqualTo(10);
    assertThat(fixture.count("idembox.inbox where consumer_id = " + notify.id())).isEqualTo(10);
  }

  @Test
  void aWalkGoesInSlices() throws Exception {
    handledDaysAgo(15, 1_000);
    readUntilNow(p0, OffsetRanges.of(0, 1_000));
    PrunePolicy small =
        new PrunePolicy(Duration.ofDays(14), Duration.ofDays(30), Duration.ZERO, 1, 100);
    Pruner pruner = inbox.pruner(small);

    int walks = 0;
    int most = 0;
    int deleted = 0;
    while (walks < 2) {
      PruneReport slice = pruner.slice(List.of(p0));
      most = Math.max(most, slice.inboxRows());
      deleted += slice.inboxRows();
      walks += slice.roundFinished() ? 1 : 0;
    }

    assertThat(deleted).isEqualTo(1_000);
    assertThat(most).isPositive().isLessThanOrEqualTo(130);
  }

  @Test
  void aWalkStartsAgainOnlyAfterItsInterval() throws Exception {
    handledDaysAgo(15, 10);
    readUntilNow(p0, OffsetRanges.of(0, 10));
    Pruner hourly = inbox.pruner(PrunePolicy.DEFAULT.withRoundInterval(Duration.ofHours(1)));

    for (int i = 0; i < 5; i++) {
      assertThat(hourly.slice(List.of(p0)).inboxRows()).isZero();
    }
    assertThat(fixture.text("select round::text from idembox.pruning")).isEqualTo("1");
  }

  @Test
  void oneMemberPrunesAtATime() throws Exception {
    try (Connection other = fixture.pool.getConnection()) {
      other.setAutoCommit(false);
      other
          .createStatement()
          .execute("select pg_advisory_xact_lock(hashtextextended('idembox.prune', 0))");

      assertThat(inbox.pruner(AT_ONCE).slice(List.of(p0)).busy()).isTrue();

      other.rollback();
    }
    assertThat(inbox.pruner(AT_ONCE).slice(List.of(p0)).busy()).isFalse();
  }

  @Test
  void aForgottenRangeIsNotPrunedByWhatWasDoneBefore() throws Exception {
    UUID[] ids = handledDaysAgo(15, 10);
    readUntilNow(p0, OffsetRanges.of(0, 10));
    walk(p0);
    inbox.progress().forget(p0, OffsetRanges.of(0, 5));
    inbox.run(InboxFixture.claims(inbox, ids), b -> assertThat(b.fresh()).hasSize(5));
    fixture.execute("update idembox.inbox set recorded_at = now() - interval '15 days'");

    assertThat(walk(p0)).isEqualTo(5);
    assertThat(walk(p0)).isZero();
    inbox.run(InboxFixture.claims(inbox, ids), b -> assertThat(b.fresh()).isEmpty());
  }

  @Test
  void aTruncatedRangeIsNotPrunedByWhatWasDoneBefore() throws Exception {
    UUID[] before = handledDaysAgo(15, 10);
    readUntilNow(p0, OffsetRanges.of(0, 10));
    walk(p0);
    PartitionProgress known = inbox.progress().read(List.of(p0)).get(0);
    inbox.progress().cut(known, 5, 1);
    // Other records stand at the offsets now; handled, and not yet known to be done.
    UUID[] others = InboxFixture.ids(10);
    inbox.run(InboxFixture.claims(inbox, others).subList(5, 10), b -> {});
    fixture.execute("update idembox.inbox set recorded_at = now() - interval '15 days'");

    assertThat(walk(p0)).isEqualTo(5);
    inbox.run(
        InboxFixture.claims(inbox, others).subList(5, 10), b -> assertThat(b.fresh()).isEmpty());
    assertThat(before).hasSize(10);
  }

  @Test
  void finishedEffectsGoAfterTheirRetentionAndHeldOrFailedOnesNever() throws Exception {
    settle("done", Settlement.done(ask("done"), null));
    settle("rejected", Settlement.rejected(ask("rejected"), "no"));
    settle("held", Settlement.held(ask("held"), "?"));
    settle("failed", Settlement.failed(ask("failed"), "no"));
    ask("owed");
    assertThat(inbox.pruner(AT_ONCE).slice(List.of()).effects()).isZero();

    fixture.execute("update idembox.effect set settled_at = settled_at - interval '1 year'");
    assertThat(inbox.pruner(AT_ONCE).slice(List.of()).effects()).isEqualTo(2);

    assertThat(fixture.text("select string_agg(state::text, ',' order by id) from idembox.effect"))
        .isEqualTo("4,5,1");
  }

  /** Members of an older version write no flights, and may die as well. */
  @Test
  void theWalkMakesFindableWhatNoFlightNames() throws Exception {
    ask("left behind");
    fixture.execute("delete from idembox.effect_flight");
    fixture.execute("update idembox.effect set due_at = now() - interval '2 minutes'");
    assertThat(inbox.journal().takeDue(10, Duration.ofMinutes(1))).isEmpty();

    inbox.pruner(AT_ONCE).slice(List.of());

    assertThat(inbox.journal().takeDue(10, Duration.ofMinutes(1))).hasSize(1);
  }

  /** Its retry asks the journal first, however late it comes. */
  @Test
  void whatAnOpenLettersMessageDidStaysInTheJournalUntilTheLetterIsClosed() throws Exception {
    settle("done", Settlement.done(ask("done"), null));
    fixture.execute("update idembox.effect set settled_at = settled_at - interval '1 year'");
    UUID message = UUID.fromString(fixture.text("select message_id::text from idembox.effect"));
    fixture.execute("delete from idembox.inbox");
    long letter = letterOf(message);
    assertThat(inbox.pruner(AT_ONCE).slice(List.of()).effects()).isZero();

    inbox.deadLetters().discard(letter, "x");
    assertThat(inbox.pruner(AT_ONCE).slice(List.of()).effects()).isEqualTo(1);
  }

  @Test
  void closedLettersGoAfterTheirRetention() {
    long letter = letterOf(UUID.randomUUID());
    fixture.execute("update idembox.dead_letter set created_at = now() - interval '1 year'");
    assertThat(inbox.pruner(AT_ONCE).slice(List.of()).letters()).isZero();

    inbox.deadLetters().discard(letter, "x");
    fixture.execute("update idembox.dead_letter set closed_at = now() - interval '31 days'");
    assertThat(inbox.pruner(AT_ONCE).slice(List.of()).letters()).isEqualTo(1);
  }

  private long letterOf(UUID message) {
    RecordedLetter letter =
        inbox
            .deadLetters()
            .record(
                new DeadLetterDraft(
                    InboxFixture.claims(inbox, message).get(0),
                    new DeadLetterContent(null, null, List.of(), null),
                    DeadLetterError.of("x", "x", "x"),
                    1,
                    null));
    return ((RecordedLetter.Recorded) letter).id();
  }

  private UUID[] handledDaysAgo(int days, int count) throws Exception {
    UUID[] ids = InboxFixture.ids(count);
    inbox.run(InboxFixture.claims(inbox, ids), b -> {});
    fixture.execute("update idembox.inbox set recorded_at = now() - interval '" + days + " days'");
    return ids;
  }

  private void readUntilNow(InboxPartition partition, OffsetRanges done) {
    readUntil(partition, done, inbox.progress().read(List.of(partition)).get(0).databaseTime());
  }

  private void readUntil(InboxPartition partition, OffsetRanges done, Instant at) {
    PartitionProgress known = inbox.progress().read(List.of(partition)).get(0);
    assertThat(
            inbox
                .progress()
                .grow(
                    List.of(
                        new ProgressGrowth(
                            partition,
                            done,
                            OffsetRanges.EMPTY,
                            OffsetRanges.EMPTY,
                            known.generation(),
                            known.leaderEpoch(),
                            known.serverTimeline(),
                            at)))
                .get(0)
                .kind())
        .isEqualTo(GrowthResult.Kind.GROWN);
  }

  /** Slices until the walk is at its end; answers how many inbox rows went. */
  private int walk(InboxPartition... subscribed) {
    Pruner pruner = inbox.pruner(AT_ONCE);
    int rows = 0;
    PruneReport slice;
    do {
      slice = pruner.slice(List.of(subscribed));
      rows += slice.inboxRows();
    } while (!slice.roundFinished());
    return rows;
  }

  private JournalEntry ask(String id) throws Exception {
    return inbox
        .run(
            InboxFixture.claims(inbox, UUID.randomUUID()),
            b ->
                b.begin(0)
                    .effects()
                    .afterCommit(MAIL.name(), EffectKey.of("mail.invoice").id(id), "x"))
        .intents()
        .get(0);
  }

  private void settle(String id, Settlement settlement) {
    assertThat(inbox.journal().settle(List.of(settlement))).as(id).isEqualTo(1);
  }
}
