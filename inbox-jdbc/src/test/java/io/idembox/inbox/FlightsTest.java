package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How what is owed is found: by the row of its flight, and by an index that the usual way avoids.
 */
@WithServers(WithServers.Server.POSTGRES)
final class FlightsTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final NamedEffect HELD_MAIL =
      NamedEffect.of("held-mail", EffectPolicy.builder().onUnknown(OnUnknown.HOLD).build());

  /** Owed, but neither in the index nor in a flight of its owner: nobody would ever run it. */
  private static final String LOST =
      """
      idembox.effect e
      where e.due_at is not null and e.sweep_at is null
        and not exists (
          select from idembox.effect_flight f
          where e.id between f.first_id and f.last_id and f.owner = e.owner
            and f.namespace_id = e.namespace_id)
      """;

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
  void aFlightEndsWithTheSettlementOfItsLastEffect() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 3);
    assertThat(fixture.count("idembox.effect_flight")).isEqualTo(1);
    assertThat(fixture.count("idembox.effect where sweep_at is not null")).isZero();
    assertThat(inbox.journal().unfinished()).isEqualTo(3);

    assertThat(inbox.journal().settle(done(entries.subList(0, 2)))).isEqualTo(2);
    assertThat(fixture.count("idembox.effect_flight")).isEqualTo(1);
    assertThat(inbox.journal().unfinished()).isEqualTo(1);

    assertThat(inbox.journal().settle(done(entries.subList(2, 3)))).isEqualTo(1);
    assertThat(fixture.count("idembox.effect_flight")).isZero();
    assertThat(inbox.journal().unfinished()).isZero();
  }

  @Test
  void effectsOfSeveralFlightsAreSettledTogether() throws Exception {
    List<JournalEntry> entries = new ArrayList<>(ask(inbox, MAIL, 2));
    entries.addAll(ask(inbox, HELD_MAIL, 2));
    entries.set(2, inbox.journal().markStarted(entries.subList(2, 3), LEASE).get(0));

    assertThat(inbox.journal().settle(done(entries.subList(0, 3)))).isEqualTo(3);

    assertThat(fixture.count("idembox.effect_flight")).isEqualTo(1);
    assertThat(fixture.count(LOST)).isZero();
  }

  @Test
  void whatIsPutOffIsInTheIndexAndItsFlightEnds() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 2);

    inbox
        .journal()
        .settle(
            List.of(
                Settlement.retryAt(entries.get(0), Duration.ZERO, "provider down"),
                Settlement.inDoubt(entries.get(1), Duration.ofHours(1), "timed out")));

    assertThat(fixture.count("idembox.effect_flight")).isZero();
    assertThat(inbox.journal().unfinished()).isEqualTo(2);
    assertThat(other.journal().takeDue(10, LEASE)).hasSize(1);
  }

  @Test
  void whatADeadMemberLeftInFlightIsFoundWhenItsLeaseHasEnded() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 4);
    inbox.journal().settle(done(entries.subList(0, 1)));
    inbox.journal().settle(List.of(Settlement.held(entries.get(1), "?")));
    assertThat(other.journal().takeDue(10, LEASE)).as("its lease holds").isEmpty();

    fixture.makeDue();

    assertThat(other.journal().takeDue(10, LEASE))
        .extracting(JournalEntry::key)
        .containsExactlyInAnyOrder(entries.get(2).key(), entries.get(3).key());
    assertThat(fixture.count("idembox.effect_flight")).isZero();
  }

  /** Its settlement may be under way: waiting for it could end in a deadlock with it. */
  @Test
  void aRowThatIsLockedKeepsItsFlightUntilTheNextLook() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 3);
    fixture.makeDue();
    try (Connection lock = fixture.pool.getConnection();
        Statement statement = lock.createStatement()) {
      lock.setAutoCommit(false);
      statement.execute(
          "select from idembox.effect where id = " + entries.get(1).id() + " for update");

      assertThat(other.journal().takeDue(10, LEASE)).hasSize(2);
      assertThat(fixture.count(LOST)).isZero();

      lock.rollback();
    }
    assertThat(other.journal().takeDue(10, LEASE))
        .extracting(JournalEntry::key)
        .containsExactly(entries.get(1).key());
    assertThat(fixture.count("idembox.effect_flight")).isZero();
  }

  @Test
  void aSettlementThatDoesNotWriteAllLeavesTheFlightToWhoeverLooksNext() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 2);
    fixture.execute("update idembox.effect set attempt = 7 where id = " + entries.get(0).id());

    assertThat(inbox.journal().settle(done(entries))).isEqualTo(1);

    assertThat(fixture.count("idembox.effect_flight")).isEqualTo(1);
    fixture.makeDue();
    assertThat(other.journal().takeDue(10, LEASE)).hasSize(1);
  }

  /** The statement did not come through, and the parts before and after it did. */
  @Test
  void afterASettlementThatFailedTheFlightStays() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 3);
    fixture.execute("alter table idembox.effect add constraint broken check (receipt is null)");
    try {
      inbox.journal().settle(List.of(Settlement.done(entries.get(0), new byte[] {1})));
      throw new AssertionError("It was written");
    } catch (InboxStatementException expected) {
      assertThat(expected.sqlState()).isEqualTo("23514");
    } finally {
      fixture.execute("alter table idembox.effect drop constraint broken");
    }

    inbox.journal().settle(done(entries.subList(1, 3)));

    assertThat(fixture.count(LOST)).isZero();
    fixture.makeDue();
    assertThat(other.journal().takeDue(10, LEASE)).hasSize(1);
  }

  @Test
  void renewingMovesTheFlightToo() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 2);
    fixture.makeDue();

    inbox.journal().renew(entries, LEASE);

    assertThat(fixture.count("idembox.effect_flight where due_at > now()")).isEqualTo(1);
    assertThat(other.journal().takeDue(10, LEASE)).isEmpty();
    assertThat(fixture.count("idembox.effect_flight")).isEqualTo(1);
  }

  @Test
  void aClaimHintsAtFlightsThatAreDue() throws Exception {
    ask(inbox, MAIL, 1);
    assertThat(other.run(claim(), batch -> {}).owesEffects()).isFalse();

    fixture.makeDue();

    assertThat(other.run(claim(), batch -> {}).owesEffects()).isTrue();
  }

  /** Whatever members do, and wherever they stop: what is owed can be found. */
  @Test
  void nothingThatIsOwedIsEverLost() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<ConsumerInbox> members = List.of(inbox, other, fixture.open(MAIL, HELD_MAIL));
    List<List<JournalEntry>> hands =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int step = 0; step < 250; step++) {
      int member = random.nextInt(3);
      step(random, members.get(member), hands.get(member));
      assertThat(fixture.count(LOST)).as("seed %d, step %d", seed, step).isZero();
      assertThat(members.get(member).journal().unfinished())
          .as("seed %d, step %d", seed, step)
          .isEqualTo(fixture.count("idembox.effect where due_at is not null"));
    }
    // All die; a new one finds all there is, in parts.
    fixture.makeDue();
    long owed = fixture.count("idembox.effect where due_at is not null");
    ConsumerInbox heir = fixture.open(MAIL, HELD_MAIL);
    long found = 0;
    for (List<JournalEntry> part = heir.journal().takeDue(7, LEASE);
        !part.isEmpty();
        part = heir.journal().takeDue(7, LEASE)) {
      found += part.size();
    }
    assertThat(found).as("seed %d", seed).isEqualTo(owed);
    assertThat(fixture.count("idembox.effect_flight")).as("seed %d", seed).isZero();
  }

  private void step(Random random, ConsumerInbox member, List<JournalEntry> hand) throws Exception {
    EffectJournal journal = member.journal();
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> hand.addAll(ask(member, random.nextBoolean() ? MAIL : HELD_MAIL, 5, random));
      case 3 -> hand.addAll(journal.takeDue(3, LEASE));
      case 4 -> journal.giveBack(some(random, hand, true));
      case 5 -> journal.renew(some(random, hand, false), LEASE);
      case 6 -> fixture.makeDue("e.id % 3 = " + random.nextInt(3));
      case 7 -> hand.clear();
      default -> {
        List<JournalEntry> ran = some(random, hand, true);
        List<JournalEntry> marked =
            new ArrayList<>(ran.stream().filter(JournalEntry::started).toList());
        marked.addAll(journal.markStarted(ran.stream().filter(e -> !e.started()).toList(), LEASE));
        journal.settle(marked.stream().map(entry -> end(random, entry)).toList());
      }
    }
  }

  private static Settlement end(Random random, JournalEntry entry) {
    return switch (random.nextInt(8)) {
      case 0 -> Settlement.retryAt(entry, Duration.ZERO, "x");
      case 1 -> Settlement.inDoubt(entry, Duration.ofHours(1), "x");
      case 2 -> Settlement.failed(entry, "x");
      case 3 -> Settlement.held(entry, "x");
      case 4 -> Settlement.postponed(entry, Duration.ofMillis(1), "x");
      case 5 -> Settlement.rejected(entry, "x");
      default -> Settlement.done(entry, null);
    };
  }

  private static List<JournalEntry> some(Random random, List<JournalEntry> hand, boolean taken) {
    List<JournalEntry> some = new ArrayList<>();
    for (JournalEntry entry : List.copyOf(hand)) {
      if (random.nextBoolean()) {
        some.add(entry);
        if (taken) {
          hand.remove(entry);
        }
      }
    }
    return some;
  }

  /**
   * Rows of all states, as version 4 of the schema left them, and members that were in the middle.
   */
  @Test
  void aJournalOfVersionFourIsMovedOver() throws Exception {
    List<JournalEntry> entries = ask(inbox, MAIL, 7);
    inbox
        .journal()
        .settle(
            List.of(
                Settlement.done(entries.get(0), new byte[] {1}),
                Settlement.rejected(entries.get(1), "no"),
                Settlement.held(entries.get(2), "?"),
                Settlement.failed(entries.get(3), "no"),
                Settlement.retryAt(entries.get(4), Duration.ofHours(1), "later"),
                Settlement.inDoubt(entries.get(5), Duration.ofHours(1), "timed out")));
    JournalEntry started = entries.get(6);
    askInTurn("1");
    askInTurn("2");
    backToVersionFour();

    fixture.execute(migration("V5__effects_in_flight.sql"));
    fixture.execute(migration("V6__effects_by_number.sql"));

    assertThat(inbox.journal().unfinished()).isEqualTo(5);
    JournalDecisions decisions = inbox.decisions();
    assertThat(
            decisions.list(
                EnumSet.of(
                    EffectState.HELD,
                    EffectState.FAILED,
                    EffectState.REJECTED,
                    EffectState.IN_DOUBT),
                0,
                10))
        .extracting(JournalRow::key)
        .containsExactlyInAnyOrder(
            entries.get(1).key(), entries.get(2).key(), entries.get(3).key(), entries.get(5).key());
    SoftAssertions.assertSoftly(
        softly -> {
          softly.assertThat(fixture.count(LOST)).isZero();
          softly.assertThat(other.journal().takeDue(10, LEASE)).as("the leases hold").isEmpty();
          fixture.makeDue();
          softly
              .assertThat(other.journal().takeDue(10, LEASE))
              .extracting(JournalEntry::key)
              .as("all but the second in its queue")
              .containsExactlyInAnyOrder(
                  entries.get(4).key(), entries.get(5).key(), started.key(), turn("1"));
          softly
              .assertThat(inbox.journal().settle(done(List.of(started))))
              .as("it was taken over")
              .isZero();
        });
  }

  private static EffectKey turn(String id) {
    return EffectKey.of("mail.turn").id(id);
  }

  private void askInTurn(String id) throws Exception {
    inbox.run(
        List.of(claim().get(0).inTurnOf(new byte[] {4})),
        batch -> batch.begin(0).effects().afterCommit(MAIL.name(), turn(id), "x"));
  }

  private void backToVersionFour() {
    fixture.execute(
        """
        drop table idembox.effect_flight;
        alter table idembox.effect drop column sweep_at, drop column listed, drop column waiting;
        create index effect_due on idembox.effect (namespace_id, due_at) where due_at is not null;
        create index effect_for_people on idembox.effect (namespace_id, state, id) where state in (3, 4, 5, 6);
        create index effect_queue on idembox.effect (namespace_id, queue, place)
          where queue is not null and state in (0, 1, 3, 4);
        """);
  }

  private static String migration(String name) throws IOException {
    try (InputStream in =
        FlightsTest.class.getResourceAsStream("/io/idembox/migrations/sql/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private List<InboxClaim> claim() {
    return InboxFixture.claims(inbox, UUID.randomUUID());
  }

  private static List<Settlement> done(List<JournalEntry> entries) {
    return entries.stream().map(entry -> Settlement.done(entry, null)).toList();
  }

  private List<JournalEntry> ask(ConsumerInbox member, NamedEffect effect, int effects)
      throws Exception {
    return ask(
        member,
        effect,
        IntStream.range(0, effects).mapToObj(i -> UUID.randomUUID().toString()).toList());
  }

  /** Of few keys, so that many are met again. */
  private List<JournalEntry> ask(
      ConsumerInbox member, NamedEffect effect, int effects, Random random) throws Exception {
    return ask(
        member,
        effect,
        random.ints(effects, 0, 60).distinct().mapToObj(Integer::toString).toList());
  }

  private List<JournalEntry> ask(ConsumerInbox member, NamedEffect effect, List<String> ids)
      throws Exception {
    return member
        .run(
            claim(),
            batch -> {
              TransactionEffects effects = batch.begin(0).effects();
              ids.forEach(
                  id -> effects.afterCommit(effect.name(), EffectKey.of("mail").id(id), "x"));
            })
        .intents();
  }
}
