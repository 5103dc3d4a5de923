package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * C34 (d): everything behind a pooler in transaction mode, with {@code prepareThreshold=0} as
 * documented.
 */
final class TransactionPoolerTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());

  private EmbeddedPostgres postgres;
  private TransactionPooler pooler;
  private HikariDataSource pool;

  @BeforeEach
  void start() throws Exception {
    postgres = EmbeddedPostgres.start();
    String database = postgres.createDatabase();
    pooler = new TransactionPooler(postgres.port(), postgres.user(), database, 3);
    pool =
        OwnServer.pool(
            "jdbc:postgresql://localhost:"
                + pooler.port()
                + "/"
                + database
                + "?prepareThreshold=0&user="
                + postgres.user(),
            6);
  }

  @AfterEach
  void stop() throws Exception {
    pool.close();
    pooler.close();
    postgres.close();
  }

  @Test
  void c34MigrationsClaimsHandlersJournalProgressAndPruningWorkBehindIt() throws Exception {
    IdemboxSchema.of(pool).migrate();
    IdemboxSchema.of(pool).validate();
    execute("create table ledger (order_id text not null)");
    JdbcInbox jdbc = JdbcInbox.builder(pool).build();
    jdbc.check();
    RegisteredConsumer consumer =
        jdbc.register(new ConsumerRegistration("billing", "billing", null, InboxFixture.RESOLVER));
    String before = settings();
    UUID[] ids = InboxFixture.ids(200);
    ExecutorService lanes = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int lane = 0; lane < 4; lane++) {
        results.add(
            lanes.submit(() -> replayAll(jdbc.open(consumer, EffectCatalog.of(MAIL), null), ids)));
      }
      int handled = 0;
      for (Future<Integer> result : results) {
        handled += result.get();
      }
      assertThat(handled).isEqualTo(200);
    } finally {
      lanes.shutdown();
    }

    assertThat(text("select count(*)::text from ledger")).isEqualTo("200");
    assertThat(text("select count(*)::text from idembox.inbox")).isEqualTo("200");
    assertThat(text("select count(*)::text from idembox.effect where state = 2")).isEqualTo("200");
    // Nothing of ours stays behind on any of the server's sessions.
    for (int i = 0; i < 12; i++) {
      assertThat(settings()).isEqualTo(before);
    }
    progressAndPruning(jdbc.open(consumer, EffectCatalog.of(MAIL), null));
  }

  private static void progressAndPruning(ConsumerInbox inbox) {
    InboxPartition p0 = new InboxPartition(inbox.topicId(InboxFixture.TOPIC, "orders"), 0);
    PartitionProgress known = inbox.progress().open(List.of(p0), UUID.randomUUID()).get(0);
    GrowthResult grown =
        inbox
            .progress()
            .grow(
                List.of(
                    ProgressGrowth.done(known, OffsetRanges.of(0, 200), known.serverTimeline())))
            .get(0);
    assertThat(grown.kind()).isEqualTo(GrowthResult.Kind.GROWN);
    assertThat(inbox.pruner(PrunePolicy.DEFAULT).slice(List.of(p0)).busy()).isFalse();
  }

  private static int replayAll(ConsumerInbox inbox, UUID[] ids) throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, ids);
    int handled = 0;
    for (int from = 0; from < ids.length; from += 20) {
      int start = from;
      InboxRun run =
          inbox.run(
              claims.subList(from, from + 20),
              batch -> {
                for (int i : batch.fresh()) {
                  InboxTransaction tx = batch.begin(i);
                  tx.enqueue("insert into ledger(order_id) values (?)", "o" + (start + i));
                  tx.handle().execute("set statement_timeout = '7s'");
                  tx.effects().afterCommit(MAIL.name(), EffectKey.of("m").id(start + i), "x");
                }
              });
      handled += run.fresh().cardinality();
      inbox.journal().renew(run.intents(), Duration.ofMinutes(1));
      inbox.journal().settle(run.intents().stream().map(e -> Settlement.done(e, null)).toList());
    }
    return handled;
  }

  private String settings() {
    return text(
        "select current_setting('statement_timeout') || current_setting('lock_timeout')"
            + " || current_setting('idle_in_transaction_session_timeout')"
            + " || current_setting('plan_cache_mode') || current_setting('synchronous_commit')");
  }

  private void execute(String sql) throws Exception {
    try (java.sql.Connection connection = pool.getConnection();
        java.sql.Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String text(String sql) {
    return InboxFixture.text(pool, sql);
  }
}
