package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.inbox.JournalDecisions.Decision;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people see of the journal and decide, by business key. */
@WithServers(WithServers.Server.POSTGRES)
final class JournalDecisionsTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final Duration LEASE = Duration.ofMinutes(1);

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private JournalDecisions decisions;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL);
    decisions = inbox.decisions();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void anEffectIsFoundByItsKey() throws Exception {
    JournalEntry entry = ask("9");

    JournalRow row = decisions.find(key("9")).orElseThrow();

    assertThat(row.id()).isEqualTo(entry.id());
    assertThat(row.state()).isEqualTo(EffectState.STARTED);
    assertThat(row.owner()).isEqualTo(entry.owner());
    assertThat(row.request()).isEqualTo(entry.request());
    assertThat(row.origin()).isEqualTo(entry.origin());
    assertThat(decisions.find(key("other"))).isEmpty();
  }

  @Test
  void aHeldEffectIsResolvedAsDone() throws Exception {
    settle(Settlement.held(ask("9"), "unknown"));

    assertThat(decisions.resolveDone(key("9"), new byte[] {7}, "bob: the bank says so"))
        .isEqualTo(Decision.APPLIED);

    JournalRow row = decisions.find(key("9")).orElseThrow();
    assertThat(row.state()).isEqualTo(EffectState.DONE);
    assertThat(row.receipt()).containsExactly(7);
    assertThat(row.request()).isNull();
    assertThat(row.lastError()).contains("bob");
    assertThat(row.retention()).isEqualTo(EffectPolicy.DEFAULT_RETENTION);
    assertThat(decisions.resolveNotDone(key("9"), "bob")).isEqualTo(Decision.NOT_POSSIBLE);
    assertThat(inbox.journal().takeDue(10, LEASE)).isEmpty();
  }

  @Test
  void aHeldEffectIsResolvedAsNotDoneAndRunsAsAFirstAttempt() throws Exception {
    settle(Settlement.held(ask("9"), "unknown"));

    assertThat(decisions.resolveNotDone(key("9"), "bob")).isEqualTo(Decision.APPLIED);

    JournalEntry again = inbox.journal().takeDue(10, LEASE).get(0);
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.earlierAttemptUnknown()).isFalse();
  }

  @Test
  void aRunningEffectIsLeftAlone() throws Exception {
    ask("9");

    assertThat(decisions.resolveDone(key("9"), null, "bob")).isEqualTo(Decision.RUNNING);
    assertThat(decisions.resolveNotDone(key("9"), "bob")).isEqualTo(Decision.RUNNING);
    assertThat(decisions.forget(key("9"))).isEqualTo(Decision.RUNNING);

    fixture.makeDue();
    assertThat(decisions.resolveDone(key("9"), null, "bob")).isEqualTo(Decision.APPLIED);
  }

  @Test
  void aForgottenEffectIsPerformedAgainWhenItIsAskedFor() throws Exception {
    settle(Settlement.done(ask("9"), null));

    assertThat(decisions.forget(key("9"))).isEqualTo(Decision.APPLIED);
    assertThat(decisions.forget(key("9"))).isEqualTo(Decision.NOT_FOUND);

    assertThat(ask("9").attempt()).isEqualTo(1);
  }

  @Test
  void aDecisionOverARejectionNeedsItToBeForgotten() throws Exception {
    settle(Settlement.rejected(ask("9"), "no"));

    assertThat(decisions.resolveNotDone(key("9"), "bob")).isEqualTo(Decision.NOT_POSSIBLE);
    assertThat(decisions.resolveDone(key("9"), null, "bob")).isEqualTo(Decision.NOT_POSSIBLE);
    assertThat(decisions.forget(key("9"))).isEqualTo(Decision.APPLIED);
  }

  @Test
  void effectsAreListedByState() throws Exception {
    settle(Settlement.held(ask("1"), "?"));
    settle(Settlement.failed(ask("2"), "no"));
    ask("3");

    assertThat(decisions.list(EnumSet.of(EffectState.HELD, EffectState.FAILED), 0, 10))
        .extracting(JournalRow::key)
        .containsExactly(key("1"), key("2"));
    long first = decisions.find(key("1")).orElseThrow().id();
    assertThat(decisions.list(EnumSet.allOf(EffectState.class), first, 1))
        .extracting(JournalRow::key)
        .containsExactly(key("2"));
  }

  @Test
  void anEffectThatNoMemberKnowsIsHeldAfterAGrace() throws Exception {
    JournalEntry entry = ask("9");
    inbox.journal().giveBack(List.of(entry));
    JournalDecisions withoutIt = fixture.open().decisions();

    assertThat(withoutIt.holdUnknown(Duration.ofMinutes(10))).isZero();
    dueForElevenMinutes();
    assertThat(decisions.holdUnknown(Duration.ofMinutes(10))).isZero();
    assertThat(withoutIt.holdUnknown(Duration.ofMinutes(10))).isEqualTo(1);

    JournalRow row = decisions.find(key("9")).orElseThrow();
    assertThat(row.state()).isEqualTo(EffectState.HELD);
    assertThat(row.lastError()).contains("no member");
  }

  @Test
  void anEffectThatNoMemberKnowsAndThatAMemberDiedInIsHeldAsOneThatMayHaveHappened()
      throws Exception {
    ask("9");
    dueForElevenMinutes();

    assertThat(fixture.open().decisions().holdUnknown(Duration.ofMinutes(10))).isEqualTo(1);

    JournalRow row = decisions.find(key("9")).orElseThrow();
    assertThat(row.state()).isEqualTo(EffectState.HELD);
    assertThat(row.earlierAttemptUnknown()).isTrue();
  }

  /** P4: the journal alone prevents a second run, whatever became of Redis. */
  @Test
  void whatTheJournalKnowsAsDoneIsNotOwedAgainWhateverBecameOfTheGuard() throws Exception {
    settle(Settlement.done(ask("9"), null));

    InboxRun again =
        fixture
            .open(MAIL)
            .run(
                InboxFixture.claims(inbox, UUID.randomUUID()),
                b -> b.begin(0).effects().afterCommit(MAIL.name(), key("9"), "x"));

    assertThat(again.intents()).isEmpty();
    assertThat(again.owesEffects()).isFalse();
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private void dueForElevenMinutes() {
    fixture.execute(
        """
        update idembox.effect set due_at = now() - interval '11 minutes',
          sweep_at = case when sweep_at is not null then now() - interval '11 minutes' end
        """);
    fixture.execute("update idembox.effect_flight set due_at = now() - interval '11 minutes'");
  }

  private JournalEntry ask(String id) throws Exception {
    return inbox
        .run(
            InboxFixture.claims(inbox, UUID.randomUUID()),
            b -> b.begin(0).effects().afterCommit(MAIL.name(), key(id), "x"))
        .intents()
        .get(0);
  }

  private void settle(Settlement settlement) {
    assertThat(inbox.journal().settle(List.of(settlement))).isEqualTo(1);
  }
}
