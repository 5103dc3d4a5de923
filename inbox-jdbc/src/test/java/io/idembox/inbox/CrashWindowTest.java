package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.FaultyDataSource.When;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the next delivery finds when the connection is lost at each step of a transaction. */
@WithServers(WithServers.Server.POSTGRES)
final class CrashWindowTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final String WRITE = "insert into ledger(order_id) values (?)";

  private static TestScope scope;
  private InboxFixture fixture;
  private FaultyDataSource faulty;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    faulty = new FaultyDataSource(fixture.pool);
    inbox = JdbcInbox.builder(faulty).build().open(fixture.consumer, EffectCatalog.of(MAIL), null);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @ParameterizedTest
  @CsvSource({
    "BEFORE,insert into idembox.inbox",
    "AFTER,insert into idembox.inbox",
    "BEFORE,insert into ledger",
    "AFTER,insert into ledger",
    "BEFORE,insert into idembox.effect",
    "AFTER,insert into idembox.effect"
  })
  void beforeTheCommitNothingIsThereAndTheMessageIsHandledAgain(When when, String step)
      throws Exception {
    UUID id = UUID.randomUUID();
    faulty.cutOnce(when, step);

    assertThatThrownBy(() -> handle(id)).isInstanceOf(InboxException.class);
    assertThat(faulty.hasCut()).isTrue();
    assertThat(fixture.count("ledger")).isZero();
    assertThat(fixture.count("idembox.inbox")).isZero();
    assertThat(fixture.count("idembox.effect")).isZero();

    assertThat(handle(id).intents()).hasSize(1);
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(When.class)
  void aCommitWhoseAnswerIsLostIsSettledByClaimingAgain(When when) throws Exception {
    UUID id = UUID.randomUUID();
    faulty.cutOnce(when, ";\ncommit");

    assertThatThrownBy(() -> handle(id))
        .isInstanceOfSatisfying(
            InboxStatementException.class,
            e -> {
              assertThat(e.phase()).isEqualTo(InboxStatementException.Phase.COMMIT);
              assertThat(e.outcomeUnknown()).isTrue();
            });

    InboxRun again = handle(id);
    assertThat(again.fresh().cardinality()).isEqualTo(when == When.BEFORE ? 1 : 0);
    assertThat(fixture.count("ledger")).isEqualTo(1);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(1);
    assertThat(fixture.count("idembox.effect")).isEqualTo(1);
  }

  @Test
  void effectsOfACommitWhoseAnswerWasLostAreTakenAtOnceAndAreKnownNotToHaveRun() throws Exception {
    UUID id = UUID.randomUUID();
    faulty.cutOnce(When.AFTER, ";\ncommit");
    assertThatThrownBy(() -> handle(id)).isInstanceOf(InboxStatementException.class);
    assertThat(handle(id).fresh().isEmpty()).isTrue();

    List<JournalEntry> own = inbox.journal().takeUnfinishedOf(List.of(id), Duration.ofMinutes(1));

    assertThat(own).hasSize(1);
    assertThat(own.get(0).attempt()).isEqualTo(1);
    assertThat(own.get(0).earlierAttemptUnknown()).isFalse();
    assertThat(inbox.journal().takeUnfinishedOf(List.of(id), Duration.ofMinutes(1))).isEmpty();
    assertThat(inbox.journal().settle(List.of(Settlement.done(own.get(0), null)))).isEqualTo(1);
  }

  /** The sweeper of the same member has the same marks to show, and is running them. */
  @Test
  void effectsOfALostCommitThatTheMembersOwnSweeperTookMeanwhileAreNotTakenBesideIt()
      throws Exception {
    UUID id = UUID.randomUUID();
    faulty.cutOnce(When.AFTER, ";\ncommit");
    assertThatThrownBy(() -> handle(id)).isInstanceOf(InboxStatementException.class);
    fixture.makeDue();
    assertThat(inbox.journal().takeDue(10, Duration.ofMinutes(1))).hasSize(1);

    assertThat(handle(id).fresh().isEmpty()).isTrue();
    assertThat(inbox.journal().takeUnfinishedOf(List.of(id), Duration.ofMinutes(1))).isEmpty();
  }

  @Test
  void noMessageOfALostCommitSpeaksForAnother() throws Exception {
    UUID mine = UUID.randomUUID();
    UUID theirs = UUID.randomUUID();
    faulty.cutOnce(When.BEFORE, ";\ncommit");
    assertThatThrownBy(() -> handle(mine, theirs)).isInstanceOf(InboxStatementException.class);
    fixture.open(MAIL).run(InboxFixture.claims(inbox, theirs), batch -> {});

    InboxRun again = handle(mine, theirs);

    assertThat(again.fresh().stream().toArray()).containsExactly(0);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(2);
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void afterTheCommitAndBeforeTheEffectItIsStillOwed() throws Exception {
    UUID id = UUID.randomUUID();
    handle(id);
    // The process is gone here. Its successor finds the row, and waits for the lease.
    fixture.makeDue();
    ConsumerInbox successor = fixture.open(MAIL);

    assertThat(handle(id).fresh().isEmpty()).isTrue();
    List<JournalEntry> left =
        successor.journal().takeUnfinishedOf(List.of(id), Duration.ofMinutes(1));

    assertThat(left).hasSize(1);
    assertThat(left.get(0).earlierAttemptUnknown()).isTrue();
  }

  @Test
  void afterTheEffectAndBeforeItsSettlementItIsTakenAsMaybeHappened() throws Exception {
    UUID id = UUID.randomUUID();
    JournalEntry entry = handle(id).intents().get(0);
    faulty.cutOnce(When.BEFORE, "s.receipt");
    assertThatThrownBy(
            () -> inbox.journal().settle(List.of(Settlement.done(entry, new byte[] {1}))))
        .isInstanceOf(InboxStatementException.class);

    fixture.makeDue();
    JournalEntry again = fixture.open(MAIL).journal().takeDue(1, Duration.ofMinutes(1)).get(0);

    assertThat(again.earlierAttemptUnknown()).isTrue();
    assertThat(again.attempt()).isEqualTo(2);
  }

  @Test
  void aSettlementWhoseAnswerIsLostStands() throws Exception {
    JournalEntry entry = handle(UUID.randomUUID()).intents().get(0);
    faulty.cutOnce(When.AFTER, "s.receipt");

    assertThatThrownBy(() -> inbox.journal().settle(List.of(Settlement.done(entry, null))))
        .isInstanceOf(InboxStatementException.class);

    assertThat(inbox.journal().settle(List.of(Settlement.done(entry, null)))).isZero();
    assertThat(fixture.text("select state::text from idembox.effect")).isEqualTo("2");
  }

  private InboxRun handle(UUID... ids) throws Exception {
    return inbox.run(
        InboxFixture.claims(inbox, ids),
        batch -> {
          for (int index : batch.fresh()) {
            InboxTransaction tx = batch.begin(index);
            tx.enqueue(WRITE, "o9");
            tx.effects().afterCommit(MAIL.name(), EffectKey.of("mail.invoice").id("o9"), "x");
          }
        });
  }
}
