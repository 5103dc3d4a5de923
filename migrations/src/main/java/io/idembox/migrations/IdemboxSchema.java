package io.idembox.migrations;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
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

  static final String MIGRATIONS = "classpath:io/idembox/migrations/sql";

  private static final Logger log = LoggerFactory.getLogger(IdemboxSchema.class);

  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  /** Between two looks at what another instance is doing; up to twice as much. */
  private static final long PAUSE_MILLIS = 100;

  /** Guards migrations; the number is the word "idembox" in ASCII. */
  private static final long LOCK = 0x6964656d626f78L;

  private final DataSource dataSource;
  private final String[] locations;

  /** The migrations at these places, those of other versions for instance. */
  IdemboxSchema(DataSource dataSource, String... locations) {
    this.dataSource = dataSource;
    this.locations = locations;
  }

  /**
   * The schema in the database behind a data source. Does no I/O.
   *
   * @param dataSource hands out one connection at a time here; is never closed
   */
  public static IdemboxSchema of(DataSource dataSource) {
    return new IdemboxSchema(requireNonNull(dataSource, "dataSource"), MIGRATIONS);
  }

  /**
   * Brings the schema up to date, in one transaction. Does nothing, and needs no right to create,
   * when it is already.
   *
   * @throws SchemaMigrationException if the database cannot be reached or a statement failed, for
   *     instance for want of a right; it says which, and holds the SQL to run by hand. Also when
   *     the thread was interrupted while another instance migrates; its interrupt flag is set then
   * @throws SchemaMismatchException if the schema was changed or made by something else
   */
  public void migrate() {
    try {
      while (!isCurrent() && !tryMigrate()) {
        Thread.sleep(PAUSE_MILLIS + ThreadLocalRandom.current().nextLong(PAUSE_MILLIS));
      }
    } catch (SQLException | FlywayException e) {
      throw refused(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(e);
    }
  }

  /**
   * False when another instance is at it. Asked for again and again instead of waited for: one that
   * waits holds a connection, and behind a pooler all that wait may hold all there are. Flyway
   * locks its history table, but not the making of that table and of the schema: two instances on
   * an empty database would meet there (23505, 42P06).
   */
  private boolean tryMigrate() throws SQLException {
    return OneSession.writing(
        dataSource,
        (session, nested) -> {
          try (Statement statement = session.createStatement();
              ResultSet row =
                  statement.executeQuery("select pg_try_advisory_xact_lock(" + LOCK + ")")) {
            row.next();
            if (!row.getBoolean(1)) {
              return false;
            }
          }
          refuseForeignTables(session);
          int applied = flyway(nested).migrate().migrationsExecuted;
          if (applied > 0) {
            log.info("Schema {} brought up to date: {} migrations applied", NAME, applied);
          }
          return true;
        });
  }

  /** Tables of that name which nobody has a history of: they may be anything. */
  private static void refuseForeignTables(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                select to_regclass('%1$s.%2$s') is null,
                  (select string_agg(c.relname, ', ' order by c.relname) from pg_class c
                   where c.relnamespace = to_regnamespace('%1$s') and c.relkind in ('r', 'p', 'v', 'm'))
                """
                    .formatted(NAME, HandScript.HISTORY))) {
      row.next();
      if (row.getBoolean(1) && row.getString(2) != null) {
        throw new SchemaMismatchException(
            "Schema "
                + NAME
                + " holds tables ("
                + row.getString(2)
                + ") but no "
                + HandScript.HISTORY
                + ", so Idembox did not make them or the history was lost: restore the history table, or"
                + " rename the schema out of the way");
      }
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
      return handScript();
    } catch (SQLException | FlywayException e) {
      throw failed(e);
    }
  }

  private String handScript() throws SQLException {
    return OneSession.reading(
        dataSource,
        (session, nested) -> HandScript.of(flyway(nested).info(), historyExists(session)));
  }

  private static boolean historyExists(Connection session) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select to_regclass('" + NAME + "." + HandScript.HISTORY + "') is not null")) {
      return row.next() && row.getBoolean(1);
    }
  }

  /** Says which right is missing and what to run, if that is what the failure is about. */
  private SchemaMigrationException refused(Exception failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException e && INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
        try {
          return new SchemaMigrationException(missingRight(e), handScript(), failure);
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
    try {
      OneSession.reading(
          dataSource,
          (session, nested) -> {
            refuseForeignTables(session);
            return validate(flyway(nested));
          });
    } catch (SQLException | FlywayException e) {
      throw failed(e);
    }
  }

  private static ValidateResult validate(Flyway flyway) {
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
              + ": run 'idembox migrate', or IdemboxSchema.migrate(), with a role that may create"
              + " tables");
    }
    ValidateResult result = flyway.validateWithResult();
    if (!result.validationSuccessful) {
      throw new SchemaMismatchException(
          "Schema "
              + NAME
              + " is not what this version of Idembox made: "
              + result.getAllErrorMessages());
    }
    return result;
  }

  private boolean isCurrent() throws SQLException {
    return OneSession.reading(
        dataSource,
        (session, nested) -> {
          MigrationInfoService info = flyway(nested).info();
          return info.current() != null && info.pending().length == 0;
        });
  }

  private static String describe(MigrationInfo migration) {
    return "version " + migration.getVersion() + " (" + migration.getDescription() + ")";
  }

  private static SchemaMigrationException failed(Exception e) {
    return new SchemaMigrationException(
        "Schema " + NAME + " could not be brought up to date: " + e.getMessage(), null, e);
  }

  private Flyway flyway(DataSource session) {
    return Flyway.configure(IdemboxSchema.class.getClassLoader())
        .dataSource(session)
        .locations(locations)
        .schemas(NAME)
        .defaultSchema(NAME)
        .table(HandScript.HISTORY)
        .createSchemas(true)
        .cleanDisabled(true)
        .load();
  }
}
