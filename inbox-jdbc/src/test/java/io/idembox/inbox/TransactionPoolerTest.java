package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxFixture.NamedEffect;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.PgBouncer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * C34 (d): everything behind a pooler in transaction mode, with {@code prepareThreshold=0} as
 * documented.
 */
final class TransactionPoolerTest {
  private static final NamedEffect MAIL = NamedEffect.of("mail", EffectPolicy.defaults());

  /** Server sessions, for more clients than that. */
  private static final int SERVERS = 3;

  private EmbeddedPostgres postgres;
  private String database;
  private AutoCloseable pooler;
  private HikariDataSource pool;

  @BeforeEach
  void start() {
    postgres = EmbeddedPostgres.start();
    database = postgres.createDatabase();
  }

  @AfterEach
  void stop() throws Exception {
    pool.close();
    pooler.close();
    postgres.close();
  }

  /**
   * One that hands out another server session at each turn, so that what is left behind is found.
   */
  @Test
  void c34MigrationsClaimsHandlersJournalProgressAndPruningWorkBehindARelay() throws Exception {
    TransactionPooler relay =
        new TransactionPooler(postgres.port(), postgres.user(), database, SERVERS);
    behind(relay, relay.port());

    everythingWorks();
  }

  @Test
  void c34MigrationsClaimsHandlersJournalProgressAndPruningWorkBehindPgBouncer() throws Exception {
    assumeTrue(PgBouncer.program().isPresent(), "no pgbouncer on this machine (Debian: pgbouncer)");
    PgBouncer bouncer = PgBouncer.start(postgres.port(), postgres.user(), SERVERS);
    behind(bouncer, bouncer.port());

    everythingWorks();
  }

  /** Those that wait for the one that migrates must leave it the server sessions that it needs. */
  @Test
  void c34MoreInstancesThanServerSessionsMigrateAtOnce() throws Exception {
    TransactionPooler relay =
        new TransactionPooler(postgres.port(), postgres.user(), database, SERVERS);
    behind(relay, relay.port());
    CyclicBarrier together = new CyclicBarrier(8);
    ExecutorService instances = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Void>> starts =
          IntStream.range(0, 8)
              .<Callable<Void>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        IdemboxSchema.of(pool).migrate();
                        return null;
                      })
              .toList();
      for (Future<Void> start : instances.invokeAll(starts)) {
        start.get();
      }
    } finally {
      instances.shutdown();
    }
    assertThat(text("select count(*)::text from idembox.installation")).isEqualTo("1");
    assertThat(settings()).contains("\"$user\", public");
  }

  private void behind(AutoCloseable transactionPooler, int port) {
    pooler = transactionPooler;
    pool =
        OwnServer.pool(
            "jdbc:postgresql://127.0.0.1:"
                + port
                + "/"
                + database
                + "?prepareThreshold=0&user="
                + postgres.user(),
            24);
  }

  private void everythingWorks() throws Exception {
    execute("select 1");
    String untouched = settings();
    IdemboxSchema.of(pool).migrate();
    IdemboxSchema.of(pool).validate();
    nothingOfOursStaysBehind(untouched);
    execute("create table ledger (order_id text not null)");
    JdbcInbox jdbc = JdbcInbox.builder(pool).build();
    jdbc.check();
    RegisteredConsumer consumer =
        jdbc.register(new ConsumerRegistration("billing", "billing", null, InboxFixture.RESOLVER));
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
    progressAndPruning(jdbc.open(consumer, EffectCatalog.of(MAIL), null));
    nothingOfOursStaysBehind(untouched);
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

  /** On any of the server's sessions: a client gets another one each time. */
  private void nothingOfOursStaysBehind(String untouched) {
    for (int i = 0; i < 4 * SERVERS; i++) {
      assertThat(settings()).isEqualTo(untouched);
    }
    assertThat(text("select count(*)::text from pg_locks where locktype = 'advisory'"))
        .isEqualTo("0");
  }

  private String settings() {
    return text(
        "select current_setting('statement_timeout') || current_setting('lock_timeout')"
            + " || current_setting('idle_in_transaction_session_timeout')"
            + " || current_setting('plan_cache_mode') || current_setting('enable_seqscan')"
            + " || current_setting('synchronous_commit')"
            + " || current_setting('search_path') || current_setting('role')");
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
