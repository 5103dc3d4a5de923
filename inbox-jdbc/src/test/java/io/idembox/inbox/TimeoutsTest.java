package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** C32 and C33: the server's time-outs, and pools that are too small. */
@WithServers(WithServers.Server.POSTGRES)
final class TimeoutsTest {
  private static final EffectKey KEY = EffectKey.of("payment").id("o9");

  private static TestScope scope;
  private InboxFixture fixture;
  private EffectGuard guard;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    guard =
        EffectGuard.builder(new InMemoryEffectStore())
            .namespace(fixture.consumer.namespace())
            .build();
  }

  @AfterEach
  void close() {
    guard.close();
    fixture.close();
  }

  @Test
  void c32ASlowEffectOutlastsTheSessionsIdleTimeoutBecauseOursIsSet() throws Exception {
    setting("idle_in_transaction_session_timeout = '300ms'");
    AtomicInteger mails = new AtomicInteger();
    ConsumerInbox inbox = open(JdbcInbox.builder(fixture.pool));

    payAndWrite(inbox, UUID.randomUUID(), mails, Duration.ofMillis(1_200));

    assertThat(mails).hasValue(1);
    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void c32AnEffectSlowerThanOurOwnTimeoutIsReplayedByTheNextAttempt() throws Exception {
    AtomicInteger mails = new AtomicInteger();
    ConsumerInbox inbox =
        open(
            JdbcInbox.builder(fixture.pool)
                .effectTimeout(Duration.ofMillis(200))
                .idleInTransactionTimeout(Duration.ofMillis(300)));
    UUID id = UUID.randomUUID();

    assertThatThrownBy(() -> payAndWrite(inbox, id, mails, Duration.ofMillis(1_200)))
        .satisfies(e -> assertThat(sqlState(e)).isIn("25P03", "08006", "57P01"));
    assertThat(fixture.count("ledger")).isZero();

    payAndWrite(inbox, id, mails, Duration.ZERO);
    assertThat(mails).hasValue(1);
    assertThat(fixture.count("ledger")).isEqualTo(1);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(1);
  }

  @Test
  void c32TheSessionsStatementTimeoutHoldsForTheHandlerAndIsItsOwnFailure() throws Exception {
    setting("statement_timeout = '300ms'");
    ConsumerInbox inbox = open(JdbcInbox.builder(fixture.pool));
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(3));
    AtomicInteger failed = new AtomicInteger(-1);

    inbox.runSplitting(
        claims,
        batch -> {
          for (int i : batch.fresh()) {
            InboxTransaction tx = batch.begin(i);
            tx.handle().execute("insert into ledger(order_id) values (?)", "o" + i);
            if (i == 1) {
              tx.handle().execute("select pg_sleep(3)");
            }
          }
        },
        (index, failure) -> {
          assertThat(sqlState(failure)).isEqualTo("57014");
          failed.set(index);
        });

    assertThat(failed).hasValue(1);
    assertThat(fixture.count("ledger")).isEqualTo(2);
  }

  @Test
  void theLockTimeoutOfTheClaimDoesNotReachTheHandlersStatements() throws Exception {
    ConsumerInbox inbox = open(JdbcInbox.builder(fixture.pool).lockTimeout(Duration.ofMillis(100)));
    fixture.execute("insert into ledger(order_id) values ('locked')");
    ExecutorService holder = Executors.newSingleThreadExecutor();
    try (Connection other = fixture.pool.getConnection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("update ledger set amount = 1");
      Future<InboxRun> waiting =
          holder.submit(
              () ->
                  inbox.run(
                      InboxFixture.claims(inbox, UUID.randomUUID()),
                      b -> b.begin(0).handle().execute("update ledger set amount = 2")));
      fixture.text("select pg_sleep(0.5)");
      other.commit();
      waiting.get(30, TimeUnit.SECONDS);
    } finally {
      holder.shutdown();
    }
    assertThat(fixture.text("select amount::text from ledger")).isEqualTo("2");
  }

  /**
   * Each handler holds one connection and wants a second from a pool that has as many as handlers.
   */
  @Test
  void c33APoolThatIsTooSmallIsAnErrorWithinItsTimeoutAndTheRecordsAreRetried() throws Exception {
    HikariDataSource small = pool(2, Duration.ofMillis(500));
    ExecutorService lanes = Executors.newFixedThreadPool(2);
    AtomicInteger exhausted = new AtomicInteger();
    try (small) {
      ConsumerInbox inbox = open(JdbcInbox.builder(small));
      inbox.topicId(InboxFixture.TOPIC, "orders");
      CyclicBarrier together = new CyclicBarrier(2);
      List<Future<Void>> both =
          lanes.invokeAll(
              List.of(
                  () -> hungry(inbox, small, together, exhausted),
                  () -> hungry(inbox, small, together, exhausted)));
      for (Future<Void> lane : both) {
        lane.get(60, TimeUnit.SECONDS);
      }
    } finally {
      lanes.shutdown();
    }

    assertThat(exhausted.get()).isPositive();
    assertThat(fixture.count("ledger")).isEqualTo(2);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(2);
  }

  @Test
  void c33AServerWithoutFreeConnectionsFailsAtConnectAndRecovers() throws Exception {
    HikariDataSource none = pool(1, Duration.ofMillis(300));
    try (none) {
      ConsumerInbox inbox = open(JdbcInbox.builder(none));
      UUID id = UUID.randomUUID();
      List<InboxClaim> claims = InboxFixture.claims(inbox, id);
      try (Connection taken = none.getConnection()) {
        assertThat(taken.isClosed()).isFalse();
        assertThatThrownBy(() -> inbox.run(claims, b -> {}))
            .isInstanceOfSatisfying(
                InboxStatementException.class,
                e -> assertThat(e.phase()).isEqualTo(InboxStatementException.Phase.CONNECT));
      }
      assertThat(inbox.run(claims, b -> {}).fresh().cardinality()).isEqualTo(1);
    }
  }

  /** Set before it starts: a running pool looks at a changed time-out only every half minute. */
  private HikariDataSource pool(int connections, Duration timeout) {
    HikariConfig config = InboxFixture.poolConfig(fixture.database, connections);
    config.setConnectionTimeout(timeout.toMillis());
    return new HikariDataSource(config);
  }

  private Void hungry(
      ConsumerInbox inbox, HikariDataSource pool, CyclicBarrier together, AtomicInteger exhausted)
      throws Exception {
    UUID id = UUID.randomUUID();
    boolean[] met = {false};
    while (true) {
      try {
        inbox.run(
            InboxFixture.claims(inbox, id),
            batch -> {
              batch.begin(0).enqueue("insert into ledger(order_id) values (?)", "o");
              if (!met[0]) {
                met[0] = true;
                together.await();
              }
              pool.getConnection().close();
            });
        return null;
      } catch (SQLException e) {
        exhausted.incrementAndGet();
      } catch (InboxStatementException e) {
        assertThat(e.phase()).isEqualTo(InboxStatementException.Phase.CONNECT);
        exhausted.incrementAndGet();
      }
    }
  }

  private ConsumerInbox open(JdbcInbox.Builder builder) {
    return builder.build().open(fixture.consumer, EffectCatalog.of(), guard);
  }

  private void payAndWrite(ConsumerInbox inbox, UUID id, AtomicInteger mails, Duration takes)
      throws Exception {
    inbox.run(
        InboxFixture.claims(inbox, id),
        batch -> {
          InboxTransaction tx = batch.begin(0);
          tx.handle().execute("insert into ledger(order_id) values ('o9')");
          tx.effects()
              .once(
                  EffectPolicy.defaults(),
                  KEY,
                  String.class,
                  attempt -> {
                    takesAsLong(takes);
                    return "mail " + mails.incrementAndGet();
                  });
          tx.handle().execute("update ledger set note = 'paid'");
        });
  }

  /** The server's clock is what runs out here, so it is the server that is waited on. */
  private void takesAsLong(Duration time) {
    fixture.text("select pg_sleep(" + time.toMillis() / 1000.0 + ")");
  }

  private void setting(String setting) {
    fixture.execute("alter database " + fixture.database.name() + " set " + setting);
    fixture.pool.getHikariPoolMXBean().softEvictConnections();
  }

  private static String sqlState(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        return sql.getSQLState();
      }
    }
    throw new AssertionError("Not the database's failure", failure);
  }
}
