package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A journal that was empty, or tiny, when its sessions made their plans, and grows under them. What
 * a batch reads must not grow with it. Alone in its database, which counts.
 */
@WithServers(WithServers.Server.POSTGRES)
final class JournalPlansTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());
  private static final int BATCHES = 100;
  private static final int EFFECTS = 20;
  private static final Duration WEEK = Duration.ofDays(7);

  private static TestScope scope;

  @Test
  void nothingReadsAllOfAJournalThatWasEmpty() throws Exception {
    try (InboxFixture fixture = new InboxFixture(scope, 2, settings -> settings)) {
      grow(fixture);
    }
  }

  @Test
  void nothingReadsAllOfAJournalThatWasKnownToBeTiny() throws Exception {
    try (InboxFixture fixture = new InboxFixture(scope, 2, settings -> settings)) {
      ConsumerInbox inbox = fixture.open(MAIL);
      inbox.journal().settle(done(ask(inbox, "before")));
      fixture.execute("vacuum analyze idembox.effect");
      // Sessions that have planned nothing yet.
      fixture.pool.getHikariPoolMXBean().softEvictConnections();
      grow(fixture);
    }
  }

  private static void grow(InboxFixture fixture) throws Exception {
    ConsumerInbox inbox = fixture.open(MAIL);
    await().until(() -> fixture.pool.getHikariPoolMXBean().getActiveConnections() == 0);
    fixture.execute("select pg_stat_reset()");
    for (int i = 0; i < BATCHES; i++) {
      List<JournalEntry> intents = ask(inbox, "batch " + i);
      assertThat(intents).hasSize(EFFECTS);
      assertThat(inbox.journal().settle(done(intents))).isEqualTo(EFFECTS);
      assertThat(inbox.journal().takeDue(10, Duration.ofSeconds(30))).isEmpty();
      assertThat(inbox.journal().unfinished()).isZero();
    }
    // What a session has counted is seen by others at its end at the latest.
    fixture.pool.getHikariPoolMXBean().softEvictConnections();
    await()
        .untilAsserted(
            () ->
                assertThat(fixture.count("pg_stat_user_tables where n_tup_ins = 2000"))
                    .isEqualTo(1));
    // A statement that walked through the table in each batch would have read 100,000 rows. Some do
    // in the first few,
    // while that is best, and look again afterwards.
    assertThat(
            Long.parseLong(
                fixture.text(
                    "select seq_tup_read from pg_stat_user_tables where relid = 'idembox.effect'::regclass")))
        .as("rows read by walking through the table")
        .isLessThan(10_000);
    Pruner pruner = inbox.pruner(new PrunePolicy(WEEK, WEEK, Duration.ZERO, 1, EFFECTS));
    for (int i = 0; i < BATCHES; i++) {
      pruner.slice(List.of());
    }
    fixture.pool.getHikariPoolMXBean().softEvictConnections();
    await()
        .untilAsserted(
            () ->
                assertThat(
                        fixture.count(
                            "pg_stat_user_tables where relname = 'pruning' and idx_scan >= 200"))
                    .isEqualTo(1));
    assertThat(
            fixture.text(
                "select idx_tup_read from pg_stat_user_indexes"
                    + " where indexrelid = 'idembox.effect_once'::regclass"))
        .as("entries of the unique key that were read")
        .isEqualTo("0");
  }

  private static List<JournalEntry> ask(ConsumerInbox inbox, String id) throws Exception {
    return inbox
        .run(
            InboxFixture.claims(inbox, UUID.randomUUID()),
            batch -> {
              TransactionEffects effects = batch.begin(0).effects();
              for (int i = 0; i < EFFECTS; i++) {
                effects.afterCommit(MAIL.name(), EffectKey.of("mail").id(id + " " + i), "x");
              }
            })
        .intents();
  }

  private static List<Settlement> done(List<JournalEntry> entries) {
    return entries.stream().map(entry -> Settlement.done(entry, null)).toList();
  }
}
