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
import java.util.stream.IntStream;
import javax.sql.DataSource;
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
    CyclicBarrier together = new CyclicBarrier(8);
    ExecutorService instances = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Void>> starts =
          IntStream.range(0, 8)
              .<Callable<Void>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        IdemboxSchema.of(database).migrate();
                        return null;
                      })
              .toList();
      for (Future<Void> start : instances.invokeAll(starts)) {
        start.get();
      }
    } finally {
      instances.shutdown();
    }
    assertThat(text(database, "select count(*)::text from idembox.installation")).isEqualTo("1");
    IdemboxSchema.of(database).validate();
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
