package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** C27: handlers whose own rows cross, as deadlocks and as serialization failures. */
@WithServers(WithServers.Server.POSTGRES)
final class ConflictsTest {
  private static final int PAIRS = 50;

  private static TestScope scope;
  private final AtomicInteger conflicts = new AtomicInteger();
  private InboxFixture fixture;
  private ExecutorService members;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    fixture.execute("create table account (id text primary key, amount int not null)");
    fixture.execute("insert into account values ('A', 0), ('B', 0)");
    members = Executors.newFixedThreadPool(2);
  }

  @AfterEach
  void close() {
    members.shutdownNow();
    fixture.close();
  }

  @Test
  void c27DeadlocksInTheHandlersTablesAreRunAgainWhole() throws Exception {
    runAgainstEachOther(fixture.open(), fixture.open());

    assertThat(conflicts.get()).isPositive();
    everythingHappenedOnce();
  }

  @Test
  void c27SerializationFailuresAreRunAgainWhole() throws Exception {
    HikariConfig config = InboxFixture.poolConfig(fixture.database, 4);
    config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    try (HikariDataSource serializable = new HikariDataSource(config)) {
      JdbcInbox inbox = JdbcInbox.builder(serializable).build();
      runAgainstEachOther(
          inbox.open(fixture.consumer, EffectCatalog.of(), null),
          inbox.open(fixture.consumer, EffectCatalog.of(), null));
    }
    everythingHappenedOnce();
  }

  private void everythingHappenedOnce() {
    assertThat(fixture.count("ledger")).isEqualTo(2 * PAIRS);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(2 * PAIRS);
    assertThat(fixture.text("select string_agg(amount::text, ',' order by id) from account"))
        .isEqualTo(2 * PAIRS + "," + 2 * PAIRS);
  }

  /** One updates A then B, the other B then A, and they meet in the middle. */
  private void runAgainstEachOther(ConsumerInbox one, ConsumerInbox two) throws Exception {
    CyclicBarrier start = new CyclicBarrier(2);
    List<Future<?>> both = new ArrayList<>();
    both.add(members.submit(() -> runAll(one, start, "A", "B")));
    both.add(members.submit(() -> runAll(two, start, "B", "A")));
    for (Future<?> member : both) {
      member.get();
    }
  }

  private @Nullable Void runAll(
      ConsumerInbox inbox, CyclicBarrier start, String first, String second) throws Exception {
    for (int i = 0; i < PAIRS; i++) {
      UUID id = UUID.randomUUID();
      start.await();
      while (!tried(inbox, id, first, second)) {
        conflicts.incrementAndGet();
      }
    }
    return null;
  }

  private boolean tried(ConsumerInbox inbox, UUID id, String first, String second)
      throws Exception {
    try {
      inbox.run(
          InboxFixture.claims(inbox, id),
          batch -> {
            InboxTransaction tx = batch.begin(0);
            tx.enqueue("insert into ledger(order_id) values (?)", id.toString());
            String update = "update account set amount = amount + 1 where id = ?";
            tx.handle().execute(update, first);
            tx.handle().execute(update, second);
          });
      return true;
    } catch (Exception e) {
      assertThat(sqlState(e)).isIn("40P01", "40001");
      return false;
    }
  }

  private static @Nullable String sqlState(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        return sql.getSQLState();
      }
    }
    throw new AssertionError("Not the database's failure", failure);
  }
}
