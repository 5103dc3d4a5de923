package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EmbeddedPostgresTest {
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void start() {
    postgres = EmbeddedPostgres.start();
  }

  @AfterAll
  static void close() {
    postgres.close();
  }

  @ParameterizedTest
  @CsvSource({
    "fsync, on",
    "synchronous_commit, on",
    "full_page_writes, on",
    "max_connections, 200",
  })
  void itIsAsDurableAsARealServer(String setting, String value) throws SQLException {
    assertThat(query(postgres.dataSource("postgres"), "show " + setting)).isEqualTo(value);
  }

  @Test
  void theUrlAloneIsEnoughToConnect() throws SQLException {
    try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl("postgres"))) {
      assertThat(connection.isValid(1)).isTrue();
      assertThat(connection.getMetaData().getDatabaseMajorVersion()).isGreaterThanOrEqualTo(14);
    }
  }

  @Test
  void databasesAreApart() throws SQLException {
    String one = postgres.createDatabase();
    String other = postgres.createDatabase();
    run(postgres.dataSource(one), "create table t(a int)");
    assertThat(query(postgres.dataSource(other), "select to_regclass('t')")).isNull();
  }

  @Test
  void aDatabaseCanBeACopyOfAnother() throws SQLException {
    String template = postgres.createDatabase();
    run(postgres.dataSource(template), "create table t as select 42 as a");
    assertThat(query(postgres.dataSource(postgres.createDatabase(template)), "select a from t"))
        .isEqualTo("42");
  }

  @Test
  void aDroppedDatabaseIsGoneWithItsSessions() throws SQLException {
    String name = postgres.createDatabase();
    try (Connection connection = postgres.dataSource(name).getConnection()) {
      postgres.dropDatabase(name);
      assertThat(connection.isValid(2)).isFalse();
    }
    assertThat(
            query(
                postgres.dataSource("postgres"),
                "select count(*) from pg_database where datname = '" + name + "'"))
        .isEqualTo("0");
  }

  @Test
  void aKilledServerComesBackOnItsPortWithWhatWasCommitted() throws SQLException {
    try (EmbeddedPostgres own = EmbeddedPostgres.start();
        Connection open = own.dataSource("postgres").getConnection()) {
      int port = own.port();
      run(own.dataSource("postgres"), "create table kept as select 1 as a");

      own.kill();

      assertThat(open.isValid(2)).isFalse();
      assertThatThrownBy(() -> query(own.dataSource("postgres"), "select 1"))
          .isInstanceOf(SQLException.class);

      own.restart();

      assertThat(own.port()).isEqualTo(port);
      assertThat(query(own.dataSource("postgres"), "select a from kept")).isEqualTo("1");
    }
  }

  @Test
  void aStoppedServerComesBackWithItsData() throws SQLException {
    try (EmbeddedPostgres own = EmbeddedPostgres.start()) {
      run(own.dataSource("postgres"), "create table kept as select 1 as a");
      own.stop();
      own.stop();
      assertThatThrownBy(() -> query(own.dataSource("postgres"), "select 1"))
          .isInstanceOf(SQLException.class);
      own.restart();
      assertThat(query(own.dataSource("postgres"), "select a from kept")).isEqualTo("1");
    }
  }

  @Test
  void twoServersRunSideBySideAndLeaveNoFolder() throws SQLException {
    EmbeddedPostgres other = EmbeddedPostgres.builder().setting("max_connections", "20").start();
    Path folder = other.dataDirectory().getParent();
    assertThat(other.port()).isNotEqualTo(postgres.port());
    assertThat(query(other.dataSource("postgres"), "show max_connections")).isEqualTo("20");
    assertThat(folder).exists();
    other.close();
    other.close();
    assertThat(folder).doesNotExist();
    assertThat(query(postgres.dataSource("postgres"), "select 1")).isEqualTo("1");
  }

  @Test
  void aPasswordIsAskedForOnceSet() throws SQLException {
    try (EmbeddedPostgres own = EmbeddedPostgres.builder().password("p&ss w=rd").start()) {
      try (Connection connection = DriverManager.getConnection(own.jdbcUrl("postgres"))) {
        assertThat(connection.isValid(1)).isTrue();
      }
      String wrong = "jdbc:postgresql://%s:%d/postgres".formatted(own.host(), own.port());
      assertThatThrownBy(() -> DriverManager.getConnection(wrong, own.user(), "wrong"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
    }
  }

  @Test
  void aSettingThatTheServerRefusesFailsTheStartWithTheReason() {
    var before = Folders.of("postgres");
    assertThatThrownBy(() -> EmbeddedPostgres.builder().setting("max_connections", "lots").start())
        .isInstanceOf(ServerStartException.class)
        .hasMessageContaining("PostgreSQL did not start")
        .hasMessageContaining("max_connections");
    assertThat(before).containsAll(Folders.of("postgres"));
  }

  @Test
  void theDataDirectoryIsTheServersOwn() {
    assertThat(Files.exists(postgres.dataDirectory().resolve("PG_VERSION"))).isTrue();
  }

  private static void run(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }
}
