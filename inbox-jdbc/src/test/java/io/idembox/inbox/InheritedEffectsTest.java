package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A consumer that builds another one's rows anew: what counts as done, and what that means. */
@WithServers(WithServers.Server.POSTGRES)
final class InheritedEffectsTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox old;
  private ConsumerInbox anew;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    old = fixture.open(MAIL);
    RegisteredConsumer rebuild = fixture.inbox.registerRebuild(registration("anew"), "billing");
    anew = fixture.inbox.open(rebuild, EffectCatalog.of(MAIL), null);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void theNameIsBoundToTheOtherInItsNamespace() {
    RegisteredConsumer again = fixture.inbox.register(registration("anew"));
    assertThat(again.rebuilds()).containsExactly(fixture.consumer.id());
    assertThat(again.namespace()).isEqualTo(fixture.consumer.namespace());
    assertThat(anew.isRebuild()).isTrue();
    assertThat(old.isRebuild()).isFalse();
    RegisteredConsumer third = fixture.inbox.registerRebuild(registration("third"), "anew");
    assertThat(third.rebuilds()).containsExactly(again.id(), fixture.consumer.id());
    assertThatThrownBy(() -> fixture.inbox.registerRebuild(registration("third"), "billing"))
        .isInstanceOf(RegistrationException.class)
        .hasMessageContaining("no rebuild of billing");
    ConsumerRegistration otherRules =
        new ConsumerRegistration("fourth", "fourth", null, "other rules");
    assertThatThrownBy(() -> fixture.inbox.registerRebuild(otherRules, "billing"))
        .isInstanceOf(RegistrationException.class)
        .hasMessageContaining("by other rules");
  }

  @Test
  void doneIsARowOrAPlaceInTheRangesButNoDeadLetter() throws Exception {
    UUID[] ids = InboxFixture.ids(5);
    List<InboxClaim> claims = InboxFixture.claims(old, ids);
    old.run(claims.subList(0, 1), batch -> batch.begin(0));
    old.deadLetters().record(letter(claims.get(1)));
    ranges(claims.get(0).topicId(), "{[1,4)}", 7);

    // Of the leader that the ranges know, of an unknown one, of a later one.
    assertThat(done(claims, 7, 7, 7, 7, 7)).isEqualTo("{0, 2, 3}");
    assertThat(done(claims, -1, -1, -1, -1, -1)).isEqualTo("{0, 2, 3}");
    assertThat(done(claims, 8, 8, 8, 7, 8)).isEqualTo("{0, 3}");
  }

  @Test
  void withoutAnIdOfTheTopicRowsAloneCount() throws Exception {
    int topic = old.topicId(new UUID(0, 0), "orders");
    UUID[] ids = InboxFixture.ids(2);
    List<InboxClaim> claims =
        List.of(new InboxClaim(ids[0], topic, 0, 0), new InboxClaim(ids[1], topic, 0, 1));
    old.run(claims.subList(0, 1), batch -> batch.begin(0));
    ranges(topic, "{[0,2)}", 7);
    assertThat(done(claims, 7, 7)).isEqualTo("{0}");
  }

  @Test
  void anInheritedIntentIsFinishedAndLeavesOwedOnesAlone() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(old, InboxFixture.ids(2));
    old.run(claims, batch -> batch.begin(0).effects().afterCommit(MAIL.name(), key("owed"), "x"));

    InboxRun run =
        anew.run(
            claims,
            batch -> {
              batch.begin(0).effects().afterCommit(MAIL.name(), key("owed"), "x");
              batch.begin(1).effects().afterCommit(MAIL.name(), key("old"), "x");
            });

    assertThat(run.fresh().cardinality()).isEqualTo(2);
    assertThat(run.intents()).isEmpty();
    assertThat(anew.inheritedEffects()).isEqualTo(1);
    assertThat(
            fixture.text(
                "select string_agg(state || ' ' || inherited, ',' order by state) from idembox.effect"))
        .isEqualTo("1 false,2 true");
    assertThat(anew.journal().takeDue(10, java.time.Duration.ofMinutes(1))).isEmpty();
  }

  @Test
  void aRetryOfADeadLetterInheritsToo() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(old, InboxFixture.ids(1));
    old.run(claims, batch -> batch.begin(0));
    anew.deadLetters().record(letter(claims.get(0)));
    long id = anew.deadLetters().openAmong(List.of(claims.get(0).messageId())).get(0).id();

    LetterRetry retry =
        anew.deadLetters()
            .retry(
                id, null, (content, tx) -> tx.effects().afterCommit(MAIL.name(), key("old"), "x"));

    assertThat(retry).isInstanceOf(LetterRetry.Retried.class);
    assertThat(fixture.count("idembox.effect where inherited and state = 2")).isEqualTo(1);
  }

  @Test
  void aListOfBothKindsIsRefused() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(old, InboxFixture.ids(2));
    old.run(claims.subList(0, 1), batch -> batch.begin(0));
    assertThatThrownBy(() -> anew.run(claims, batch -> batch.all()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("split the batch");
    assertThat(anew.run(claims.subList(0, 1), batch -> batch.all()).fresh().cardinality())
        .isEqualTo(1);
  }

  @Test
  void onceWithoutAReceiptFailsNamingTheKey() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(old, InboxFixture.ids(1));
    old.run(claims, batch -> batch.begin(0));
    assertThatThrownBy(
            () ->
                anew.run(
                    claims, batch -> batch.begin(0).effects().once(MAIL.name(), key("9"), "x")))
        .isInstanceOf(ReceiptUnavailableException.class)
        .hasMessageContaining("mail")
        .hasMessageContaining("RebuildableEffect");
  }

  private String done(List<InboxClaim> claims, int... leaderEpochs) {
    BitSet done = anew.doneBefore(claims, leaderEpochs);
    return done.toString();
  }

  private void ranges(int topic, String done, int leaderEpoch) {
    fixture.execute(
        "insert into idembox.progress (consumer_id, topic_id, partition, done, leader_epoch) values ("
            + fixture.consumer.id()
            + ", "
            + topic
            + ", 0, '"
            + done
            + "', "
            + leaderEpoch
            + ")");
  }

  private static ConsumerRegistration registration(String name) {
    return new ConsumerRegistration(name, name, null, InboxFixture.RESOLVER);
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail").id(id);
  }

  private static DeadLetterDraft letter(InboxClaim claim) {
    return new DeadLetterDraft(
        claim,
        new DeadLetterContent(null, new byte[] {1}, List.of(), Instant.EPOCH),
        DeadLetterError.of("failed", new IllegalStateException("as a test")),
        1,
        null);
  }
}
