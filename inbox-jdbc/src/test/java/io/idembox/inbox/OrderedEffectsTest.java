package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.inbox.JournalDecisions.Decision;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Effects of one record key, whose order the journal keeps whoever runs them. */
@WithServers(WithServers.Server.POSTGRES)
final class OrderedEffectsTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final NamedEffect HELD_MAIL =
      NamedEffect.of("held-mail", EffectPolicy.builder().onUnknown(OnUnknown.HOLD).build());

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private ConsumerInbox other;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open(MAIL, HELD_MAIL);
    other = fixture.open(MAIL, HELD_MAIL);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void anEffectStartsWhenThoseBeforeItHaveHappened() throws Exception {
    JournalEntry first = ask("k", "1").get(0);
    JournalEntry second = ask("k", "2").get(0);
    assertThat(first.started() || second.started()).isFalse();

    assertThat(mark(inbox, first, second)).extracting(OrderedEffectsTest::id).containsExactly("1");
    assertThat(mark(inbox, second)).as("while the first runs").isEmpty();
    settle(inbox, Settlement.done(first, null));

    assertThat(mark(inbox, second)).hasSize(1);
  }

  @Test
  void theOrderIsThatOfAskingAlsoWithinATransaction() throws Exception {
    List<JournalEntry> owed =
        inbox
            .run(
                claims("k", 20),
                batch -> {
                  for (int i : batch.fresh()) {
                    ask(batch, i, "m" + i + "-a");
                    ask(batch, i, "m" + i + "-b");
                  }
                })
            .intents();

    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      expected.add("m" + i + "-a");
      expected.add("m" + i + "-b");
    }
    assertThat(owed.stream().sorted(Comparator.comparing(e -> e.turn().place())))
        .extracting(OrderedEffectsTest::id)
        .containsExactlyElementsOf(expected);
    assertThat(mark(inbox, owed.toArray(JournalEntry[]::new)))
        .extracting(OrderedEffectsTest::id)
        .containsExactly("m0-a");
  }

  @Test
  void otherKeysAndRecordsWithoutOneAreNotHeldUp() throws Exception {
    ask("k", "1");
    JournalEntry ofOtherKey = ask("l", "2").get(0);
    JournalEntry withoutKey = ask(null, "3").get(0);

    assertThat(mark(inbox, ofOtherKey)).hasSize(1);
    assertThat(withoutKey.started()).isTrue();
    assertThat(withoutKey.turn()).isNull();
  }

  @Test
  void whoLooksForWorkGetsTheFirstOfEachKey() throws Exception {
    ask("k", "1");
    ask("k", "2");
    ask("l", "3");
    leasesEnd();

    List<JournalEntry> taken = other.journal().takeDue(10, LEASE);

    assertThat(taken).extracting(OrderedEffectsTest::id).containsExactlyInAnyOrder("1", "3");
    assertThat(other.journal().takeDue(10, LEASE)).isEmpty();
    taken.forEach(entry -> settle(other, Settlement.done(entry, null)));
    assertThat(other.journal().takeDue(10, LEASE))
        .extracting(OrderedEffectsTest::id)
        .containsExactly("2");
  }

  /** The member died in the first, and another one has both records again. */
  @Test
  void whatACrashLeftBehindIsFinishedBeforeItsSuccessors() throws Exception {
    UUID[] ids = InboxFixture.ids(2);
    JournalEntry first = ask("k", "1", ids[0]).get(0);
    ask("k", "2", ids[1]);
    mark(inbox, first);
    fixture.makeDue("state = 0");

    assertThat(other.journal().takeUnfinishedOf(List.of(ids), LEASE))
        .as("the first may still be running")
        .isEmpty();
    leasesEnd();
    JournalEntry again = other.journal().takeUnfinishedOf(List.of(ids), LEASE).get(0);
    assertThat(id(again)).isEqualTo("1");
    assertThat(again.earlierAttemptUnknown()).isTrue();
    settle(other, Settlement.done(again, null));

    assertThat(other.journal().takeUnfinishedOf(List.of(ids), LEASE))
        .extracting(OrderedEffectsTest::id)
        .containsExactly("2");
  }

  @Test
  void aDeferredEffectDefersThoseBehindItAndSaysSo() throws Exception {
    JournalEntry first = ask("k", "1").get(0);
    JournalEntry second = ask("k", "2").get(0);
    mark(inbox, first);
    settle(inbox, Settlement.retryAt(first, Duration.ofHours(1), "the provider is away"));
    inbox.journal().giveBack(List.of(second));

    assertThat(other.journal().takeDue(10, LEASE)).isEmpty();
    assertThat(row("1").waitsFor()).isNull();
    assertThat(row("2").waitsFor()).isEqualTo(key("1"));
  }

  @Test
  void aHeldEffectHoldsThoseBehindItUntilAPersonDecides() throws Exception {
    JournalEntry first = ask("k", "1").get(0);
    JournalEntry second = ask("k", "2").get(0);
    mark(inbox, first);
    settle(inbox, Settlement.held(first, "nobody knows"));

    assertThat(mark(inbox, second)).isEmpty();
    assertThat(row("2").waitsFor()).isEqualTo(key("1"));
    assertThat(inbox.decisions().resolveDone(key("1"), null, "seen")).isEqualTo(Decision.APPLIED);

    assertThat(mark(inbox, second)).hasSize(1);
  }

  /** As a record that is dead lets its partition go on. */
  @Test
  void aFailedEffectLetsThoseBehindItGoOnAndComesLastWhenItIsOpenedAgain() throws Exception {
    JournalEntry first = ask("k", "1").get(0);
    JournalEntry second = ask("k", "2").get(0);
    mark(inbox, first);
    settle(inbox, Settlement.failed(first, "given up"));
    assertThat(mark(inbox, second)).hasSize(1);

    assertThat(inbox.decisions().resolveNotDone(key("1"), "again")).isEqualTo(Decision.APPLIED);

    assertThat(other.journal().takeDue(10, LEASE)).as("while the second runs").isEmpty();
    assertThat(row("1").waitsFor()).isEqualTo(key("2"));
    settle(inbox, Settlement.done(second, null));
    assertThat(other.journal().takeDue(10, LEASE))
        .extracting(OrderedEffectsTest::id)
        .containsExactly("1");
  }

  @Test
  void aRequestThatReopensAFailedEffectComesLastToo() throws Exception {
    JournalEntry first = ask("k", "1").get(0);
    mark(inbox, first);
    settle(inbox, Settlement.failed(first, "given up"));
    JournalEntry second = ask("k", "2").get(0);

    JournalEntry reopened = ask("k", "1").get(0);

    assertThat(reopened.turn().place()).isGreaterThan(second.turn().place());
    assertThat(reopened.attempt()).isEqualTo(2);
    assertThat(mark(inbox, reopened, second))
        .extracting(OrderedEffectsTest::id)
        .containsExactly("2");
    settle(inbox, Settlement.done(second, null));
    assertThat(mark(inbox, reopened)).hasSize(1);
  }

  @Test
  void effectsThatAreMarkedLateKeepTheOrderToo() throws Exception {
    JournalEntry first = ask(HELD_MAIL, "k", "1", UUID.randomUUID()).get(0);
    ask(HELD_MAIL, "k", "2", UUID.randomUUID());
    mark(inbox, first);
    settle(inbox, Settlement.postponed(first, Duration.ZERO, "redis is away"));
    leasesEnd();

    List<JournalEntry> taken = other.journal().takeDue(10, LEASE);

    assertThat(taken).extracting(OrderedEffectsTest::id).containsExactly("1");
    assertThat(taken.get(0).started()).isFalse();
    assertThat(mark(other, taken.get(0))).hasSize(1);
  }

  private JournalRow row(String id) {
    return inbox.decisions().list(EnumSet.allOf(EffectState.class), 0, 100).stream()
        .filter(row -> row.key().equals(key(id)))
        .findFirst()
        .orElseThrow();
  }

  private void leasesEnd() {
    fixture.makeDue();
  }

  private static List<JournalEntry> mark(ConsumerInbox by, JournalEntry... entries) {
    return by.journal().markStarted(List.of(entries), LEASE);
  }

  private static void settle(ConsumerInbox by, Settlement settlement) {
    assertThat(by.journal().settle(List.of(settlement))).isEqualTo(1);
  }

  private List<JournalEntry> ask(@Nullable String recordKey, String id) throws Exception {
    return ask(recordKey, id, UUID.randomUUID());
  }

  private List<JournalEntry> ask(@Nullable String recordKey, String id, UUID message)
      throws Exception {
    return ask(MAIL, recordKey, id, message);
  }

  private List<JournalEntry> ask(
      NamedEffect effect, @Nullable String recordKey, String id, UUID message) throws Exception {
    return inbox
        .run(
            inTurn(InboxFixture.claims(inbox, message), recordKey),
            batch -> batch.begin(0).effects().afterCommit(effect.name(), key(id), "hello"))
        .intents();
  }

  private static void ask(InboxBatch batch, int index, String id) {
    batch.begin(index).effects().afterCommit(MAIL.name(), key(id), "hello");
  }

  private List<InboxClaim> claims(String recordKey, int count) {
    return inTurn(InboxFixture.claims(inbox, InboxFixture.ids(count)), recordKey);
  }

  private static List<InboxClaim> inTurn(List<InboxClaim> claims, @Nullable String recordKey) {
    byte[] bytes = recordKey == null ? null : recordKey.getBytes(StandardCharsets.UTF_8);
    return claims.stream().map(claim -> claim.inTurnOf(bytes)).toList();
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private static String id(JournalEntry entry) {
    return entry.key().parts().get(0);
  }
}
