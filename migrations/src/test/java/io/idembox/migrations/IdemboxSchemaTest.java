package io.idembox.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.Test;

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

  @Test
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
