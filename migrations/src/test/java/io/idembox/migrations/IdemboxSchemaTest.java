package io.idembox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@WithServers(WithServers.Server.POSTGRES)
final class IdemboxSchemaTest {
  private TestScope scope;

  @Test
  void anEmptyDatabaseGetsEveryTable() throws SQLException {
    DataSource database = scope.postgres().dataSource();

    IdemboxSchema.of(database).migrate();

    assertThat(tables(database))
        .contains(
            "installation",
            "consumer",
            "topic",
            "inbox",
            "effect",
            "effect_flight",
            "dead_letter",
            "attempt",
            "progress");
    IdemboxSchema.of(database).validate();
  }

  @Test
  void migratingAgainChangesNothing() throws SQLException {
    DataSource database = scope.postgres().dataSource();
    IdemboxSchema.of(database).migrate();
    String installation = text(database, "select id::text from idembox.installation");

    IdemboxSchema.of(database).migrate();

    assertThat(text(database, "select id::text from idembox.installation")).isEqualTo(installation);
  }

  @Test
  void validatingAnEmptyDatabaseSaysWhatIsMissingAndChangesNothing() throws SQLException {
    DataSource database = scope.postgres().dataSource();

    assertThatThrownBy(() -> IdemboxSchema.of(database).validate())
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("version 1")
        .hasMessageContaining("migrate()");
    assertThat(text(database, "select count(*)::text from pg_namespace where nspname = 'idembox'"))
        .isEqualTo("0");
  }

  /** C34: "create if not exists" is not safe between sessions; Flyway's own lock comes too late. */
  @RepeatedTest(10)
  void eightInstancesThatStartAtOnceAllSucceed() throws Exception {
    DataSource database = scope.postgres().dataSource();

    eightAtOnce(() -> IdemboxSchema.of(database));

    assertThat(text(database, "select count(*)::text from idembox.installation")).isEqualTo("1");
    IdemboxSchema.of(database).validate();
  }

  /** C34 (b): tables of an older version, in use, when eight instances of a later one start. */
  @Test
  void eightInstancesOfALaterVersionBringAnOlderSchemaUpToDateOnceAndKeepItsRows()
      throws Exception {
    DataSource database = scope.postgres().dataSource();
    IdemboxSchema.of(database).migrate();
    execute(
        database, "insert into idembox.effect_namespace (name) values ('of the older version')");
    String installation = text(database, "select id::text from idembox.installation");
    assertThatThrownBy(() -> later(database, "later").validate())
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("version 900");

    eightAtOnce(() -> later(database, "later"));

    later(database, "later").validate();
    assertThat(text(database, "select id::text from idembox.installation")).isEqualTo(installation);
    assertThat(text(database, "select name from idembox.effect_namespace"))
        .isEqualTo("of the older version");
    assertThat(
            text(
                database,
                "select string_agg(version, ',' order by installed_rank) from idembox.schema_history"
                    + " where success and version is not null"))
        .startsWith("1,")
        .endsWith(",900");
    // Instances of the older version that are still there find nothing to complain about.
    IdemboxSchema.of(database).migrate();
    IdemboxSchema.of(database).validate();
  }

  /** C34 (b): tables that something else made, or whose history is lost. */
  @Test
  void tablesWithoutAHistoryAreRefusedByNameAndLeftAlone() throws SQLException {
    DataSource database = scope.postgres().dataSource();
    execute(database, "create schema idembox", "create table idembox.inbox (mine int)");

    for (ThrowingCallable start :
        List.<ThrowingCallable>of(
            () -> IdemboxSchema.of(database).migrate(),
            () -> IdemboxSchema.of(database).validate())) {
      assertThatThrownBy(start)
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageContaining("inbox")
          .hasMessageContaining("schema_history");
    }
    assertThat(tables(database)).containsExactly("inbox");
  }

  @Test
  void aMigrationThatFailsLeavesTheSchemaAsItWas() throws SQLException {
    DataSource database = scope.postgres().dataSource();
    IdemboxSchema.of(database).migrate();

    assertThatThrownBy(() -> later(database, "broken").migrate())
        .isInstanceOf(SchemaMigrationException.class)
        .hasMessageContaining("division by zero");

    assertThat(
            text(
                database,
                "select count(*)::text from information_schema.columns"
                    + " where table_schema = 'idembox' and column_name = 'later'"))
        .isEqualTo("0");
    IdemboxSchema.of(database).validate();
  }

  /** Time-outs that are meant for queries, and an application's search path. */
  @Test
  void theSessionsTimeoutsDoNotReachTheMigrationAndItsStateIsPutBack() throws SQLException {
    TestScope.Database database = scope.postgres();
    PGSimpleDataSource tight = new PGSimpleDataSource();
    tight.setURL(
        database.jdbcUrl()
            + "&options=-c%20lock_timeout=1ms%20-c%20idle_in_transaction_session_timeout=10ms"
            + "%20-c%20search_path=app");
    try (Connection only = tight.getConnection()) {
      DataSource pool = new OnlyConnection(only);

      IdemboxSchema.of(pool).migrate();
      IdemboxSchema.of(pool).validate();

      try (Statement statement = only.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select concat_ws(' ', current_setting('search_path'), current_setting('role'),"
                      + " current_setting('idle_in_transaction_session_timeout'))")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("app none 10ms");
      }
    }
  }

  private static IdemboxSchema later(DataSource database, String version) {
    return new IdemboxSchema(
        database, IdemboxSchema.MIGRATIONS, "classpath:io/idembox/migrations/" + version);
  }

  private static void eightAtOnce(Supplier<IdemboxSchema> schema) throws Exception {
    CyclicBarrier together = new CyclicBarrier(8);
    ExecutorService instances = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Void>> starts =
          IntStream.range(0, 8)
              .<Callable<Void>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        schema.get().migrate();
                        return null;
                      })
              .toList();
      for (Future<Void> start : instances.invokeAll(starts)) {
        start.get();
      }
    } finally {
      instances.shutdown();
    }
  }

  /** C34 (c): the start is refused with the missing right, and with what somebody else may run. */
  @Test
  void aRoleWithoutTheRightToCreateIsToldSoAndGetsTheSqlToRunByHand() throws SQLException {
    TestScope.Database database = scope.postgres();
    DataSource admin = database.dataSource();
    String role = "app_" + scope.namespace();
    execute(admin, "create role " + role + " login password 's3cret'");
    DataSource app = as(database, role, "s3cret");

    SchemaMigrationException refusal =
        catchThrowableOfType(SchemaMigrationException.class, () -> IdemboxSchema.of(app).migrate());

    assertThat(refusal)
        .hasMessageContaining(role)
        .hasMessageContaining("CREATE on database " + database.name());
    assertThat(refusal.getMessage()).doesNotContain("s3cret");

    execute(admin, refusal.sqlToRun().orElseThrow());
    execute(
        admin,
        """
        grant usage on schema idembox to %1$s;
        grant select, insert, update, delete on all tables in schema idembox to %1$s
        """
            .formatted(role));
    IdemboxSchema.of(app).migrate();
    IdemboxSchema.of(app).validate();
    assertThat(IdemboxSchema.of(app).pendingSql()).isEmpty();
    assertThat(tables(admin)).contains("inbox", "effect", "progress");
    execute(admin, "drop owned by " + role, "drop role " + role);
  }

  @Test
  void theScriptToRunByHandMakesWhatMigratingMakes() throws SQLException {
    DataSource byHand = scope.postgres().dataSource();
    DataSource migrated =
        scope.postgres("migrated", empty -> IdemboxSchema.of(empty).migrate()).dataSource();

    execute(byHand, IdemboxSchema.of(byHand).pendingSql());

    String columns =
        """
        select string_agg(concat_ws(' ', table_name, column_name, data_type, is_nullable), ', '
          order by table_name, column_name)
        from information_schema.columns where table_schema = 'idembox'
        """;
    assertThat(text(byHand, columns)).isEqualTo(text(migrated, columns));
    String indexes =
        "select string_agg(indexdef, ', ' order by indexdef) from pg_indexes where schemaname = 'idembox'";
    assertThat(text(byHand, indexes)).isEqualTo(text(migrated, indexes));
  }

  /**
   * A pooler in transaction mode keeps no prepared statements and no session between transactions.
   */
  @Test
  void worksWithoutServerPreparedStatements() throws SQLException {
    TestScope.Database database = scope.postgres();
    PGSimpleDataSource pooled = new PGSimpleDataSource();
    pooled.setURL(database.jdbcUrl());
    pooled.setPrepareThreshold(0);

    IdemboxSchema.of(pooled).migrate();
    IdemboxSchema.of(pooled).validate();

    assertThat(
            text(
                database.dataSource(),
                "select count(*)::text from pg_locks where locktype = 'advisory'"))
        .as("no lock outlives a transaction")
        .isEqualTo("0");
  }

  private static DataSource as(TestScope.Database database, String role, String password) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {database.host()});
    source.setPortNumbers(new int[] {database.port()});
    source.setDatabaseName(database.name());
    source.setUser(role);
    source.setPassword(password);
    return source;
  }

  private static void execute(DataSource database, String... statements) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> tables(DataSource database) throws SQLException {
    return List.of(
        text(
                database,
                "select string_agg(tablename, ',') from pg_tables where schemaname = 'idembox'")
            .split(","));
  }

  private static String text(DataSource database, String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
