package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnMismatch;
import io.idembox.effect.OnUnknown;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The life of a journal row: who may perform an effect, and what becomes of it. */
@WithServers(WithServers.Server.POSTGRES)
final class EffectJournalTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final NamedEffect HELD_MAIL =
      NamedEffect.of("held-mail", EffectPolicy.builder().onUnknown(OnUnknown.HOLD).build());
  private static final NamedEffect STRICT_MAIL =
      NamedEffect.of("strict-mail", EffectPolicy.builder().fingerprint(OnMismatch.REJECT).build());

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private ConsumerInbox other;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL, HELD_MAIL, STRICT_MAIL);
    other = fixture.open(MAIL, HELD_MAIL, STRICT_MAIL);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void anIntentCommitsWithItsMessageAndIsThisMembersToPerform() throws Exception {
    UUID id = UUID.randomUUID();

    List<JournalEntry> owed = ask(inbox, id, MAIL, "9", "hello").intents();

    assertThat(owed).hasSize(1);
    JournalEntry entry = owed.get(0);
    assertThat(entry.effect()).isEqualTo("mail");
    assertThat(entry.key()).isEqualTo(key("9"));
    assertThat(new String(entry.request(), StandardCharsets.UTF_8)).contains("hello");
    assertThat(entry.attempt()).isEqualTo(1);
    assertThat(entry.earlierAttemptUnknown()).isFalse();
    assertThat(entry.started()).isTrue();
    assertThat(entry.origin().messageId()).isEqualTo(id);
    assertThat(row("9")).isEqualTo("1/1");
    assertThat(inbox.journal().unfinished()).isEqualTo(1);
  }

  @Test
  void anIntentOfARolledBackMessageNeverWas() {
    assertThatThrownBy(
            () ->
                inbox.run(
                    InboxFixture.claims(inbox, UUID.randomUUID()),
                    batch -> {
                      batch.begin(0).effects().afterCommit(MAIL.name(), key("9"), "hello");
                      throw new IllegalStateException("failed");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(fixture.count("idembox.effect")).isZero();
  }

  @Test
  void aSecondAskerOfAnUnfinishedEffectAddsNothing() throws Exception {
    ask(inbox, UUID.randomUUID(), MAIL, "9", "first");

    assertThat(ask(other, UUID.randomUUID(), MAIL, "9", "second").intents()).isEmpty();
    assertThat(fixture.count("idembox.effect")).isEqualTo(1);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(2);
  }

  @Test
  void twoMessagesOfOneBatchThatAskForTheSameEffectOweItOnce() throws Exception {
    InboxRun run =
        inbox.run(
            InboxFixture.claims(inbox, InboxFixture.ids(2)),
            batch -> {
              for (int index : batch.fresh()) {
                batch.begin(index).effects().afterCommit(MAIL.name(), key("9"), "same");
              }
            });

    assertThat(run.intents()).hasSize(1);
  }

  @Test
  void aDoneEffectIsNotAskedForAgainAndDropsItsRequest() throws Exception {
    JournalEntry entry = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);

    assertThat(inbox.journal().settle(List.of(Settlement.done(entry, new byte[] {1}))))
        .isEqualTo(1);

    assertThat(ask(other, UUID.randomUUID(), MAIL, "9", "x").intents()).isEmpty();
    assertThat(row("9")).isEqualTo("2/1");
    assertThat(
            fixture.text(
                "select (request is null and receipt = '\\x01')::text from idembox.effect"))
        .isEqualTo("true");
    assertThat(inbox.journal().unfinished()).isZero();
  }

  @Test
  void aDoneEffectPastItsRetentionCountsAsAbsent() throws Exception {
    settle(Settlement.done(ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0), null));
    fixture.execute("update idembox.effect set settled_at = now() - interval '73 hours'");

    JournalEntry again = ask(inbox, UUID.randomUUID(), MAIL, "9", "y").intents().get(0);

    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.earlierAttemptUnknown()).isFalse();
    assertThat(row("9")).isEqualTo("1/1");
  }

  @Test
  void aNewRequestReopensAFailedEffectAndLeavesHeldAndRejectedOnesAlone() throws Exception {
    settle(Settlement.failed(ask(inbox, UUID.randomUUID(), MAIL, "f", "x").intents().get(0), "no"));
    settle(Settlement.held(ask(inbox, UUID.randomUUID(), MAIL, "h", "x").intents().get(0), "?"));
    settle(
        Settlement.rejected(ask(inbox, UUID.randomUUID(), MAIL, "r", "x").intents().get(0), "bad"));

    JournalEntry reopened = ask(inbox, UUID.randomUUID(), MAIL, "f", "new").intents().get(0);

    assertThat(new String(reopened.request(), StandardCharsets.UTF_8)).contains("new");
    assertThat(reopened.attempt()).isEqualTo(2);
    assertThat(ask(inbox, UUID.randomUUID(), MAIL, "h", "x").intents()).isEmpty();
    assertThat(ask(inbox, UUID.randomUUID(), MAIL, "r", "x").intents()).isEmpty();
    assertThat(row("h")).isEqualTo("4/1");
    assertThat(row("r")).isEqualTo("6/1");
  }

  @Test
  void anotherRequestUnderAKeyIsSeenBeforeTheCommit() throws Exception {
    ask(inbox, UUID.randomUUID(), STRICT_MAIL, "9", "amount 10");

    assertThatThrownBy(() -> ask(inbox, UUID.randomUUID(), STRICT_MAIL, "9", "amount 12"))
        .isInstanceOfSatisfying(
            RequestMismatchException.class, e -> assertThat(e.key()).isEqualTo(key("9")));
    assertThat(fixture.count("idembox.inbox")).isEqualTo(1);

    ask(inbox, UUID.randomUUID(), STRICT_MAIL, "9", "amount 10");
    assertThat(fixture.count("idembox.inbox")).isEqualTo(2);
  }

  @Test
  void settlingComparesOwnerAndAttempt() throws Exception {
    JournalEntry mine = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);
    leaseEnds();
    JournalEntry theirs = other.journal().takeDue(10, LEASE).get(0);

    assertThat(theirs.attempt()).isEqualTo(2);
    assertThat(theirs.earlierAttemptUnknown()).isTrue();
    assertThat(inbox.journal().settle(List.of(Settlement.done(mine, null)))).isZero();
    assertThat(row("9")).isEqualTo("1/2");
    assertThat(other.journal().settle(List.of(Settlement.done(theirs, null)))).isEqualTo(1);
    assertThat(other.journal().settle(List.of(Settlement.failed(theirs, "late")))).isZero();
    assertThat(row("9")).isEqualTo("2/2");
  }

  @Test
  void aLiveLeaseIsNotTaken() throws Exception {
    UUID id = UUID.randomUUID();
    ask(inbox, id, MAIL, "9", "x");

    assertThat(other.journal().takeDue(10, LEASE)).isEmpty();
    assertThat(other.journal().takeUnfinishedOf(List.of(id), LEASE)).isEmpty();
  }

  @Test
  void aDuplicateFindsWhatItsFirstDeliveryLeftUnfinished() throws Exception {
    UUID id = UUID.randomUUID();
    ask(inbox, id, MAIL, "9", "x");
    ask(inbox, UUID.randomUUID(), MAIL, "other", "x");
    leaseEnds();

    List<JournalEntry> left =
        other.journal().takeUnfinishedOf(List.of(id, UUID.randomUUID()), LEASE);

    assertThat(left).extracting(JournalEntry::key).containsExactly(key("9"));
    assertThat(left.get(0).earlierAttemptUnknown()).isTrue();
  }

  @Test
  void aDeferredEffectIsTakenWhenItIsDue() throws Exception {
    JournalEntry entry = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);
    settle(Settlement.retryAt(entry, Duration.ofHours(1), "provider down"));
    assertThat(other.journal().takeDue(10, LEASE)).isEmpty();

    fixture.makeDue();
    JournalEntry second = other.journal().takeDue(10, LEASE).get(0);

    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.earlierAttemptUnknown()).isFalse();
    assertThat(fixture.text("select last_error from idembox.effect")).isEqualTo("provider down");
  }

  @Test
  void aPostponedEffectComesBackWithTheSameAttempt() throws Exception {
    JournalEntry entry = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);
    settle(Settlement.postponed(entry, Duration.ZERO, "redis is away"));

    JournalEntry again = other.journal().takeDue(10, LEASE).get(0);

    assertThat(again.attempt()).isEqualTo(entry.attempt());
    assertThat(again.earlierAttemptUnknown()).isFalse();
  }

  @Test
  void anEffectThatIsOnlyReservedIsPostponedToo() throws Exception {
    JournalEntry entry = ask(inbox, UUID.randomUUID(), HELD_MAIL, "9", "x").intents().get(0);
    assertThat(inbox.journal().settle(List.of(Settlement.done(entry, null)))).isZero();

    settle(Settlement.postponed(entry, Duration.ZERO, "its provider seems to be away"));

    JournalEntry again = other.journal().takeDue(10, LEASE).get(0);
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.earlierAttemptUnknown()).isFalse();
  }

  @Test
  void anUnknownOutcomeIsRememberedThroughLaterAttempts() throws Exception {
    JournalEntry entry = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);
    settle(Settlement.inDoubt(entry, Duration.ZERO, "timed out"));
    JournalEntry second = inbox.journal().takeDue(10, LEASE).get(0);
    assertThat(second.earlierAttemptUnknown()).isTrue();
    settle(Settlement.retryAt(second, Duration.ZERO, "refused"));

    assertThat(inbox.journal().takeDue(10, LEASE).get(0).earlierAttemptUnknown()).isTrue();
  }

  @Test
  void aHoldEffectIsMarkedRightBeforeItRuns() throws Exception {
    UUID id = UUID.randomUUID();
    JournalEntry entry = ask(inbox, id, HELD_MAIL, "9", "x").intents().get(0);
    assertThat(entry.started()).isFalse();
    assertThat(row("9")).isEqualTo("0/0");

    // A crash here: nobody can have run it, and the next one runs it as a first attempt.
    leaseEnds();
    JournalEntry taken = other.journal().takeUnfinishedOf(List.of(id), LEASE).get(0);
    assertThat(taken.started()).isFalse();
    assertThat(taken.earlierAttemptUnknown()).isFalse();
    assertThat(taken.attempt()).isEqualTo(1);

    assertThat(inbox.journal().markStarted(List.of(entry), LEASE)).isEmpty();
    List<JournalEntry> started = other.journal().markStarted(List.of(taken), LEASE);
    assertThat(started).extracting(JournalEntry::started).containsExactly(true);
    assertThat(row("9")).isEqualTo("1/1");

    // A crash here: it may have run.
    leaseEnds();
    assertThat(inbox.journal().takeDue(1, LEASE).get(0).earlierAttemptUnknown()).isTrue();
  }

  @Test
  void renewingKeepsOthersAway() throws Exception {
    JournalEntry started = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);
    JournalEntry reserved = ask(inbox, UUID.randomUUID(), HELD_MAIL, "8", "x").intents().get(0);
    leaseEnds();

    assertThat(inbox.journal().renew(List.of(started, reserved), LEASE)).isEqualTo(2);

    assertThat(other.journal().takeDue(10, LEASE)).isEmpty();
    assertThat(other.journal().renew(List.of(started), LEASE)).isZero();
  }

  @Test
  void whatWasGivenBackIsDueAtOnceWithItsAttemptUnused() throws Exception {
    JournalEntry started = ask(inbox, UUID.randomUUID(), MAIL, "9", "x").intents().get(0);
    JournalEntry reserved = ask(inbox, UUID.randomUUID(), HELD_MAIL, "8", "x").intents().get(0);

    inbox.journal().giveBack(List.of(started, reserved));

    List<JournalEntry> taken = other.journal().takeDue(10, LEASE);
    assertThat(taken).extracting(JournalEntry::attempt).containsExactlyInAnyOrder(1, 1);
    assertThat(taken).extracting(JournalEntry::earlierAttemptUnknown).containsOnly(false);
  }

  /** Else a crash of the server could take a mark back whose effect has run. */
  @Test
  void marksAndSettlementsWaitForTheDiskWhateverTheRolesSetting() throws Exception {
    fixture.execute("create table seen (level text)");
    fixture.execute(
        "create function see() returns trigger language plpgsql as $$ begin insert into public.seen"
            + " values (current_setting('synchronous_commit')); return null; end $$");
    fixture.execute(
        "create trigger see after update on idembox.effect for each row execute function see()");
    fixture.execute("alter database " + fixture.database.name() + " set synchronous_commit = off");
    // A pool begun after the change: one that stood may be opening a connection at that moment.
    try (HikariDataSource relaxed = InboxFixture.pool(fixture.database, 2)) {
      ConsumerInbox member =
          JdbcInbox.builder(relaxed)
              .build()
              .open(fixture.consumer, EffectCatalog.of(HELD_MAIL), null);
      EffectJournal journal = member.journal();
      JournalEntry entry = ask(member, UUID.randomUUID(), HELD_MAIL, "9", "x").intents().get(0);

      JournalEntry started = journal.markStarted(List.of(entry), LEASE).get(0);
      journal.settle(List.of(Settlement.retryAt(started, Duration.ZERO, "x")));
      JournalEntry taken = journal.takeDue(1, LEASE).get(0);
      JournalEntry again = journal.markStarted(List.of(taken), LEASE).get(0);
      journal.settle(List.of(Settlement.done(again, null)));

      assertThat(InboxFixture.text(relaxed, "show synchronous_commit")).isEqualTo("off");
      assertThat(fixture.text("select string_agg(level, ',') from seen"))
          .isEqualTo("on,on,on,on,on");
    } finally {
      fixture.execute("drop trigger see on idembox.effect");
    }
  }

  @Test
  void aNamespaceThatIsGoneFailsTheTransactionInsteadOfHangingIt() {
    fixture.execute("update idembox.effect_namespace set name = 'renamed meanwhile'");

    assertThatThrownBy(() -> ask(inbox, UUID.randomUUID(), MAIL, "9", "x"))
        .isInstanceOf(InboxStatementException.class)
        .hasMessageContaining(fixture.consumer.namespace());
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void anEffectThatThisProcessDoesNotKnowIsLeftToThoseThatDo() throws Exception {
    ask(inbox, UUID.randomUUID(), MAIL, "9", "x");
    leaseEnds();

    assertThat(fixture.open(HELD_MAIL).journal().takeDue(10, LEASE)).isEmpty();
    assertThat(other.journal().takeDue(10, LEASE)).hasSize(1);
  }

  @Test
  void anEffectThatNobodyRegisteredIsRefusedInTheHandler() {
    assertThatThrownBy(() -> ask(fixture.open(), UUID.randomUUID(), MAIL, "9", "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mail");
    assertThat(fixture.count("idembox.inbox")).isZero();
  }

  @Test
  void aBatchWithoutIntentsTakesNoLockForWritingTheJournal() throws Exception {
    try (Connection lock = fixture.pool.getConnection()) {
      lock.setAutoCommit(false);
      lock.createStatement().execute("lock table idembox.effect in exclusive mode");

      inbox.run(
          InboxFixture.claims(inbox, InboxFixture.ids(2)),
          batch -> batch.begin(0).enqueue("insert into ledger(order_id) values (?)", "a"));

      lock.rollback();
    }
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  private void settle(Settlement settlement) {
    assertThat(inbox.journal().settle(List.of(settlement))).isEqualTo(1);
  }

  private void leaseEnds() {
    fixture.makeDue();
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private static InboxRun ask(
      ConsumerInbox inbox, UUID message, NamedEffect effect, String id, String request)
      throws Exception {
    return inbox.run(
        InboxFixture.claims(inbox, message),
        batch -> batch.begin(0).effects().afterCommit(effect.name(), key(id), request));
  }

  /** State and attempt. */
  private String row(String id) {
    return fixture.text(
        "select state || '/' || attempt from idembox.effect where key_hash = '\\x"
            + key(id).hash(fixture.consumer.namespace())
            + "'");
  }
}
