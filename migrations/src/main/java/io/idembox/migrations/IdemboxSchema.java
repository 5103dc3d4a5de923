package io.idembox.migrations;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.output.ValidateResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the schema {@code idembox} to a PostgreSQL database, or checks that it is there.
 *
 * <p>Any number of instances may call {@link #migrate()} at once: one of them does the work, the
 * others wait for it. Nothing outlives a transaction (no session locks), so a pooler in transaction
 * mode may sit in between. Thread-safe.
 */
public final class IdemboxSchema {
  /** The schema that holds every table of Idembox, {@value}. */
  public static final String NAME = "idembox";

  private static final Logger log = LoggerFactory.getLogger(IdemboxSchema.class);

  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  /** Guards migrations; the number is the word "idembox" in ASCII. */
  private static final long LOCK = 0x6964656d626f78L;

  private final DataSource dataSource;

  private IdemboxSchema(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * The schema in the database behind a data source. Does no I/O.
   *
   * @param dataSource must be able to hand out three connections at once to {@link #migrate()}; is
   *     never closed here
   */
  public static IdemboxSchema of(DataSource dataSource) {
    return new IdemboxSchema(requireNonNull(dataSource, "dataSource"));
  }

  /**
   * Brings the schema up to date. Does nothing, and needs no right to create, when it is already.
   *
   * @throws SchemaMigrationException if the database cannot be reached or a statement failed, for
   *     instance for want of a right; it says which, and holds the SQL to run by hand
   * @throws SchemaMismatchException if the schema was changed by something else
   */
  public void migrate() {
    Flyway flyway = flyway();
    if (isCurrent(flyway)) {
      return;
    }
    // Flyway locks its history table, but not the making of that table and of the schema: two
    // instances on an empty database would meet there (23505, 42P06).
    try (Connection lock = dataSource.getConnection()) {
      lock.setAutoCommit(false);
      try (Statement statement = lock.createStatement()) {
        statement.execute("select pg_advisory_xact_lock(" + LOCK + ")");
        if (!isCurrent(flyway)) {
          int applied = flyway.migrate().migrationsExecuted;
          log.info("Schema {} brought up to date: {} migrations applied", NAME, applied);
        }
      } finally {
        lock.rollback();
      }
    } catch (SQLException | FlywayException e) {
      throw refused(flyway, e);
    }
  }

  /**
   * The statements that bring the database up to date, as one script for {@code psql}: for somebody
   * who may create what the role of this data source may not. Empty when nothing is missing.
   * Changes nothing. After it has run, {@link #migrate()} finds nothing to do.
   *
   * @throws SchemaMigrationException if the database cannot be asked
   */
  public String pendingSql() {
    try {
      return HandScript.of(flyway().info(), historyExists());
    } catch (SQLException | FlywayException e) {
      throw failed(e);
    }
  }

  private boolean historyExists() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select to_regclass('" + NAME + "." + HandScript.HISTORY + "') is not null")) {
      return row.next() && row.getBoolean(1);
    }
  }

  /** Says which right is missing and what to run, if that is what the failure is about. */
  private SchemaMigrationException refused(Flyway flyway, Exception failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException e && INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        try {
          return new SchemaMigrationException(
              missingRight(e), HandScript.of(flyway.info(), historyExists()), failure);
        } catch (SQLException | FlywayException second) {
          failure.addSuppressed(second);
          return failed(failure);
        }
      }
    }
    return failed(failure);
  }

  private String missingRight(SQLException refusal) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select current_user, current_database(),"
                    + " has_database_privilege(current_database(), 'CREATE')")) {
      row.next();
      String role = row.getString(1);
      String database = row.getString(2);
      String right =
          row.getBoolean(3)
              ? "a right on what is there (" + refusal.getMessage() + ")"
              : "the right CREATE on database " + database;
      return "Schema "
          + NAME
          + " could not be brought up to date: role "
          + role
          + " lacks "
          + right
          + ". Grant it, or let a role that has it run the SQL of sqlToRun() once";
    }
  }

  /**
   * Checks, without changing anything, that the schema is the one that this version works on.
   *
   * @throws SchemaMismatchException if it is missing, older, or changed; the message says what and
   *     what to run
   * @throws SchemaMigrationException if the database cannot be asked
   */
  public void validate() {
    Flyway flyway = flyway();
    try {
      String pending =
          Arrays.stream(flyway.info().pending())
              .map(IdemboxSchema::describe)
              .collect(Collectors.joining(", "));
      if (!pending.isEmpty()) {
        throw new SchemaMismatchException(
            "Schema "
                + NAME
                + " lacks "
                + pending
                + ": run IdemboxSchema.migrate() with a role that may create tables");
      }
      ValidateResult result = flyway.validateWithResult();
      if (!result.validationSuccessful) {
        throw new SchemaMismatchException(
            "Schema "
                + NAME
                + " is not what this version of Idembox made: "
                + result.getAllErrorMessages());
      }
    } catch (FlywayException e) {
      throw failed(e);
    }
  }

  private static boolean isCurrent(Flyway flyway) {
    try {
      return flyway.info().current() != null && flyway.info().pending().length == 0;
    } catch (FlywayException e) {
      throw failed(e);
    }
  }

  private static String describe(MigrationInfo migration) {
    return "version " + migration.getVersion() + " (" + migration.getDescription() + ")";
  }

  private static SchemaMigrationException failed(Exception e) {
    return new SchemaMigrationException(
        "Schema " + NAME + " could not be brought up to date: " + e.getMessage(), null, e);
  }

  private Flyway flyway() {
    return Flyway.configure(IdemboxSchema.class.getClassLoader())
        .dataSource(dataSource)
        .locations("classpath:io/idembox/migrations/sql")
        .schemas(NAME)
        .defaultSchema(NAME)
        .table(HandScript.HISTORY)
        .createSchemas(true)
        .cleanDisabled(true)
        .load();
  }
}
