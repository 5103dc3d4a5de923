package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What an effect costs that is run at once and succeeds. Alone in its database, which counts. */
@WithServers(WithServers.Server.POSTGRES)
final class UsualEffectTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());

  private static TestScope scope;

  /** An index over a column that changes would make an entry in each index for each effect. */
  @Test
  void itsSettlementStaysOnItsPage() throws Exception {
    try (InboxFixture fixture = new InboxFixture(scope)) {
      ConsumerInbox inbox = fixture.open(MAIL);
      List<Settlement> done =
          inbox
              .run(
                  InboxFixture.claims(inbox, UUID.randomUUID()),
                  batch -> {
                    TransactionEffects effects = batch.begin(0).effects();
                    for (int i = 0; i < 100; i++) {
                      effects.afterCommit(MAIL.name(), EffectKey.of("mail").id(i), "x".repeat(100));
                    }
                  })
              .intents()
              .stream()
              .map(entry -> Settlement.done(entry, new byte[20]))
              .toList();

      assertThat(inbox.journal().settle(done)).isEqualTo(100);

      // What a session has counted is seen by others at its end at the latest.
      fixture.pool.getHikariPoolMXBean().softEvictConnections();
      String counts =
          "select n_tup_upd || '/' || (n_tup_hot_upd > 80) from pg_stat_user_tables"
              + " where relid = 'idembox.effect'::regclass";
      await().untilAsserted(() -> assertThat(fixture.text(counts)).isEqualTo("100/true"));
    }
  }
}
