package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** C28: a handler meddles with the transaction it was given. */
@WithServers(WithServers.Server.POSTGRES)
final class TransactionGuardTest {
  private static final String INSERT = "insert into ledger(order_id) values ('x')";

  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;

  @BeforeEach
  void open() {
    // One connection: what a handler leaves behind on it, the next transaction meets.
    fixture = new InboxFixture(scope, 1, b -> b);
    inbox = fixture.open();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** A call that must not go through, and the name under which it is refused. */
  record Meddling(String call, Step step) {
    @Override
    public String toString() {
      return call;
    }
  }

  @FunctionalInterface
  interface Step {
    void run(InboxTransaction tx) throws Exception;
  }

  static Stream<Meddling> meddlings() {
    return Stream.of(
        new Meddling("Connection.commit", tx -> tx.connection().commit()),
        new Meddling("Connection.rollback", tx -> tx.connection().rollback()),
        new Meddling("Connection.close", tx -> tx.connection().close()),
        new Meddling("Connection.abort", tx -> tx.connection().abort(Runnable::run)),
        new Meddling("Connection.setAutoCommit(true)", tx -> tx.connection().setAutoCommit(true)),
        new Meddling(
            "Connection.setTransactionIsolation",
            tx -> tx.connection().setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)),
        new Meddling("Connection.setReadOnly", tx -> tx.connection().setReadOnly(true)),
        new Meddling("Connection.commit", tx -> tx.handle().commit()),
        new Meddling("Connection.rollback", tx -> tx.handle().rollback()),
        new Meddling("Connection.close", tx -> tx.handle().close()),
        new Meddling("SQL COMMIT", tx -> tx.handle().execute("commit")),
        new Meddling("SQL ROLLBACK", tx -> tx.handle().execute(" /* x */ RollBack work")),
        new Meddling("SQL END", tx -> tx.connection().createStatement().execute("end")),
        new Meddling(
            "SQL COMMIT", tx -> tx.connection().createStatement().execute("select 1; commit")),
        new Meddling("SQL BEGIN", tx -> tx.connection().prepareStatement("begin")),
        new Meddling(
            "SQL PREPARE", tx -> tx.connection().prepareStatement("prepare transaction 'x'")),
        new Meddling(
            "SQL SET TRANSACTION_ISOLATION",
            tx -> tx.handle().execute("set transaction_isolation = serializable")),
        new Meddling(
            "SQL SET TRANSACTION",
            tx -> tx.handle().execute("set transaction isolation level serializable")),
        new Meddling(
            "SQL COMMIT",
            tx -> {
              Statement statement = tx.connection().createStatement();
              statement.addBatch(INSERT);
              statement.addBatch("commit");
            }),
        new Meddling("enqueue of commit", tx -> tx.enqueue("commit")));
  }

  @ParameterizedTest
  @MethodSource("meddlings")
  void whatEndsOrBendsTheTransactionIsRefusedByName(Meddling meddling) throws Exception {
    assertThatThrownBy(
            () ->
                run(
                    tx -> {
                      tx.handle().execute(INSERT);
                      meddling.step().run(tx);
                    }))
        .isInstanceOfSatisfying(
            ForbiddenCallException.class, e -> assertThat(e.call()).isEqualTo(meddling.call()));

    nothingWasCommittedAndTheNextMessageIsUnaffected();
  }

  @ParameterizedTest
  @MethodSource("meddlings")
  void swallowingTheRefusalDoesNotHelp(Meddling meddling) throws Exception {
    assertThatThrownBy(
            () ->
                run(
                    tx -> {
                      tx.handle().execute(INSERT);
                      try {
                        meddling.step().run(tx);
                      } catch (ForbiddenCallException swallowed) {
                        // As library code would.
                      }
                    }))
        .isInstanceOfSatisfying(
            ForbiddenCallException.class, e -> assertThat(e.call()).isEqualTo(meddling.call()));

    nothingWasCommittedAndTheNextMessageIsUnaffected();
  }

  private void nothingWasCommittedAndTheNextMessageIsUnaffected() throws Exception {
    assertThat(fixture.count("ledger")).isZero();
    assertThat(fixture.count("idembox.inbox")).isZero();
    run(tx -> tx.handle().execute(INSERT));
    assertThat(fixture.count("ledger")).isEqualTo(1);
    assertThat(fixture.count("idembox.inbox")).isEqualTo(1);
  }

  @Test
  void theDriversOwnObjectsAreOutOfReach() throws Exception {
    run(
        tx -> {
          Connection connection = tx.connection();
          assertThat(connection.isWrapperFor(org.postgresql.PGConnection.class)).isFalse();
          assertThatThrownBy(() -> connection.unwrap(org.postgresql.PGConnection.class))
              .isInstanceOf(ForbiddenCallException.class);
          try (PreparedStatement statement = connection.prepareStatement("select 1");
              ResultSet rows = statement.executeQuery()) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(rows.getStatement()).isSameAs(statement);
            assertThatThrownBy(() -> statement.unwrap(Statement.class))
                .isInstanceOf(ForbiddenCallException.class);
          }
          assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
        });
  }

  /** An array or a large object holds the driver's connection, and outlives a careless handler. */
  @Test
  void arraysLargeObjectsAndMetaDataLeadToNoConnectionOfTheDriversAndDieWithTheHandler()
      throws Exception {
    List<Object> kept = new ArrayList<>();
    run(
        tx -> {
          Connection connection = tx.connection();
          Array array = connection.createArrayOf("int4", new Integer[] {1, 2});
          assertThat(array.toString()).isEqualTo("{\"1\",\"2\"}");
          try (PreparedStatement statement =
              connection.prepareStatement("select ?::int4[], lo_creat(-1)")) {
            statement.setArray(1, array);
            ResultSet rows = statement.executeQuery();
            rows.next();
            assertThat(rows.getArray(1).getArray()).isEqualTo(new Integer[] {1, 2});
            assertThat(rows.getArray(1).getResultSet().getStatement()).isNull();
            Blob blob = rows.getBlob(2);
            blob.setBytes(1, new byte[] {7});
            assertThatThrownBy(() -> blob.setBinaryStream(1))
                .isInstanceOf(ForbiddenCallException.class);
            kept.addAll(List.of(rows.getArray(1), blob, rows.getMetaData()));
          }
          ResultSet tables = connection.getMetaData().getTables(null, null, "ledger", null);
          assertThat(tables.getStatement()).isNull();
          kept.add(tables);
        });

    assertThatThrownBy(() -> ((Array) kept.get(0)).getResultSet())
        .isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> ((Blob) kept.get(1)).setBytes(1, new byte[] {8}))
        .isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> ((ResultSetMetaData) kept.get(2)).isAutoIncrement(1))
        .isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> ((ResultSet) kept.get(3)).next())
        .isInstanceOf(ForbiddenCallException.class);
  }

  @Test
  void whatIsHungOnTheHandleRunsAfterTheInboxHasCommittedOrRolledBack() throws Exception {
    List<String> ran = new ArrayList<>();
    run(
        tx -> {
          tx.handle().execute(INSERT);
          tx.handle().afterRollback(() -> ran.add("never"));
          tx.handle().afterCommit(() -> ran.add("committed"));
          tx.handle()
              .afterCommit(
                  () -> {
                    throw new IllegalStateException("changes nothing");
                  });
        });
    assertThatThrownBy(
            () ->
                run(
                    tx -> {
                      tx.handle().afterCommit(() -> ran.add("never"));
                      tx.handle().afterRollback(() -> ran.add("rolled back"));
                      throw new IllegalStateException("handler");
                    }))
        .hasMessage("handler");

    assertThat(ran).containsExactly("committed", "rolled back");
  }

  @Test
  void theJdbiOfAHandleOpensNoOtherConnection() throws Exception {
    run(
        tx ->
            assertThatThrownBy(() -> tx.handle().getJdbi().open())
                .isInstanceOf(ForbiddenCallException.class));
  }

  @Test
  void jdbiTransactionsJoinTheInboxTransaction() throws Exception {
    run(tx -> tx.handle().useTransaction(h -> h.execute(INSERT)));

    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  @Test
  void savepointsWorkWithinAMessage() throws Exception {
    run(
        tx -> {
          Connection connection = tx.connection();
          Savepoint savepoint = connection.setSavepoint();
          assertThatThrownBy(
                  () -> tx.handle().execute("insert into ledger(order_id) values (null)"))
              .isInstanceOf(RuntimeException.class);
          connection.rollback(savepoint);
          tx.handle().execute("savepoint own");
          tx.handle().execute("insert into ledger(order_id) values ('undone')");
          tx.handle().execute("rollback to savepoint own");
          tx.handle().execute(INSERT);
        });

    assertThat(fixture.text("select string_agg(order_id, ',') from ledger")).isEqualTo("x");
  }

  @Test
  void aSavepointOfAnotherMessageIsRefused() {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));
    AtomicReference<Savepoint> kept = new AtomicReference<>();

    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      kept.set(batch.begin(0).connection().setSavepoint());
                      batch.begin(1).connection().rollback(kept.get());
                    }))
        .isInstanceOf(ForbiddenCallException.class)
        .hasMessageContaining("savepoint");
    assertThatThrownBy(
            () ->
                inbox.run(
                    claims,
                    batch -> {
                      batch.begin(0).handle().execute("savepoint theirs");
                      batch.begin(1).handle().execute("rollback to savepoint theirs");
                    }))
        .isInstanceOf(ForbiddenCallException.class)
        .hasMessageContaining("theirs");
  }

  @Test
  void aRolledBackSavepointTakesEnqueuedWritesOfItsMessageWithIt() throws Exception {
    run(
        tx -> {
          Savepoint savepoint = tx.connection().setSavepoint();
          tx.enqueue("insert into ledger(order_id) values (?)", "undone");
          tx.connection().rollback(savepoint);
          tx.enqueue("insert into ledger(order_id) values (?)", "kept");
        });

    assertThat(fixture.text("select string_agg(order_id, ',') from ledger")).isEqualTo("kept");
  }

  @Test
  void settingsChangedByAHandlerAreGoneForTheNextMessageOfTheSameTransaction() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));
    inbox.run(
        claims,
        batch -> {
          Handle first = batch.begin(0).handle();
          String before = settings(first);
          first.execute("set statement_timeout = '7s'");
          first.execute("set local lock_timeout = '3s'");
          first.execute("set search_path = pg_catalog");
          first.select("select set_config('work_mem', '5MB', false)").mapTo(String.class).one();
          assertThat(settings(first)).isNotEqualTo(before);

          assertThat(settings(batch.begin(1).handle())).isEqualTo(before);
        });
  }

  @Test
  void settingsChangedByAHandlerAreGoneForTheNextTransaction() throws Exception {
    String[] seen = new String[2];
    run(tx -> seen[0] = settings(tx.handle()));
    String outside = settingsOutside();

    run(
        tx -> {
          tx.handle().execute("set statement_timeout = '7s'");
          tx.handle().execute("set idle_in_transaction_session_timeout = '9s'");
          tx.connection().setSchema("pg_catalog");
        });
    run(tx -> seen[1] = settings(tx.handle()));

    assertThat(seen[1]).isEqualTo(seen[0]);
    assertThat(settingsOutside()).isEqualTo(outside);
  }

  @Test
  void settingsChangedInsideAFunctionAreGoneForTheNextTransactionToo() throws Exception {
    fixture.execute(
        "create function sneaky() returns void language sql as $$ select set_config('search_path', 'pg_catalog', false) $$");
    String outside = settingsOutside();

    run(tx -> tx.handle().execute("select sneaky()"));

    assertThat(settingsOutside()).isEqualTo(outside);
  }

  @Test
  void theHandlerRunsUnderTheSessionsOwnTimeoutsAndOurIdleTimeout() throws Exception {
    fixture.execute("alter database " + fixture.database.name() + " set lock_timeout = '4s'");
    fixture.pool.getHikariPoolMXBean().softEvictConnections();

    run(
        tx ->
            assertThat(settings(tx.handle()))
                .contains("lock=4s", "statement=0", "idle=1min", "sync=on"));
  }

  @Test
  void aHandlerCannotRelaxTheDurabilityOfTheCommit() throws Exception {
    String before = fixture.text("select pg_current_wal_flush_lsn()::text");

    run(
        tx -> {
          tx.handle().execute("set local synchronous_commit = off");
          tx.handle().execute(INSERT);
        });

    // Flushed up to what was written: nothing of this commit waits for the background writer.
    assertThat(fixture.text("select pg_current_wal_flush_lsn() > '" + before + "'::pg_lsn"))
        .isEqualTo("t");
    assertThat(settingsOutside()).contains("sync=on");
  }

  @Test
  void theTransactionIsDeadAfterTheHandlerReturned() throws Exception {
    AtomicReference<InboxTransaction> kept = new AtomicReference<>();
    AtomicReference<Connection> connection = new AtomicReference<>();
    AtomicReference<PreparedStatement> statement = new AtomicReference<>();
    AtomicReference<ResultSet> rows = new AtomicReference<>();
    run(
        tx -> {
          kept.set(tx);
          connection.set(tx.connection());
          statement.set(tx.connection().prepareStatement(INSERT));
          rows.set(tx.connection().createStatement().executeQuery("select 1"));
        });

    assertThatThrownBy(() -> kept.get().handle()).isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> kept.get().enqueue(INSERT)).isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> connection.get().createStatement())
        .isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> statement.get().execute()).isInstanceOf(ForbiddenCallException.class);
    assertThatThrownBy(() -> rows.get().next()).isInstanceOf(ForbiddenCallException.class);
    assertThat(connection.get().isClosed()).isTrue();
    assertThat(statement.get().isClosed()).isTrue();
  }

  @Test
  void aLateWriteFromAnotherThreadDoesNotLandInTheNextMessagesTransaction() throws Exception {
    List<InboxClaim> claims = InboxFixture.claims(inbox, InboxFixture.ids(2));
    inbox.run(
        claims,
        batch -> {
          Connection kept = batch.begin(0).connection();
          batch.begin(1).handle().execute(INSERT);

          CompletableFuture<Void> late =
              CompletableFuture.runAsync(
                  () -> {
                    try {
                      kept.createStatement().execute(INSERT);
                    } catch (SQLException e) {
                      throw new IllegalStateException(e);
                    }
                  });
          assertThatThrownBy(late::get)
              .isInstanceOf(ExecutionException.class)
              .hasCauseInstanceOf(ForbiddenCallException.class);
        });

    assertThat(fixture.count("ledger")).isEqualTo(1);
  }

  /** What is good for our own statements' plans may be bad for a handler's. */
  @Test
  void aHandlersStatementsArePlannedAsItsSessionSays() throws Exception {
    String planning =
        "select current_setting('plan_cache_mode') || ' ' || current_setting('enable_seqscan')";
    String ofSession = fixture.text(planning);

    run(
        view ->
            assertThat(view.handle().createQuery(planning).mapTo(String.class).one())
                .isEqualTo(ofSession));

    assertThat(fixture.text(planning)).isEqualTo(ofSession);
  }

  private void run(Step step) throws Exception {
    inbox.run(InboxFixture.claims(inbox, InboxFixture.ids(1)), batch -> step.run(batch.begin(0)));
  }

  private static final String SETTINGS =
      """
      select 'lock=' || current_setting('lock_timeout') || ' statement=' || current_setting('statement_timeout')
        || ' idle=' || current_setting('idle_in_transaction_session_timeout')
        || ' path=' || current_setting('search_path') || ' mem=' || current_setting('work_mem')
        || ' sync=' || current_setting('synchronous_commit')
      """;

  private static String settings(Handle handle) {
    return handle.createQuery(SETTINGS).mapTo(String.class).one();
  }

  private String settingsOutside() {
    return fixture.text(SETTINGS);
  }
}
