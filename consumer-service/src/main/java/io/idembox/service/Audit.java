package io.idembox.service;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes down who changes what, before it is changed: a change that cannot be recorded is not made.
 * Thread-safe.
 */
final class Audit {
  private static final int LONGEST = 1_000;

  private final Stores stores;
  private final Via via;
  private final String who;

  /** How somebody came in. */
  enum Via {
    COMMAND,
    API
  }

  Audit(Stores stores, Via via, String who) {
    this.stores = stores;
    this.via = via;
    this.who = who;
  }

  /**
   * Makes a change, and notes what came of it.
   *
   * @throws ServerException if the database cannot take the note; nothing was changed
   */
  <T> T record(String action, String target, Supplier<T> change) {
    return record(action, target, change::get, result -> "done");
  }

  /** A change that may be interrupted. */
  @FunctionalInterface
  interface Change<T, E extends Exception> {
    T make() throws E;
  }

  /**
   * Makes a change, and notes what came of it in words of its own.
   *
   * @throws E what the change throws
   * @throws ServerException if the database cannot take the note; nothing was changed
   */
  <T, E extends Exception> T record(
      String action, String target, Change<T, E> change, Function<T, String> outcome) throws E {
    long id = begin(action, target);
    String what = "failed";
    try {
      T result = change.make();
      what = outcome.apply(result);
      return result;
    } catch (RuntimeException e) {
      what = e instanceof NotPossibleException ? "refused" : "failed: " + e.getClass().getName();
      throw e;
    } finally {
      end(id, what);
    }
  }

  /** Notes what is about to happen; what becomes of it shows elsewhere. */
  void note(String action, String target) {
    end(begin(action, target), "done");
  }

  private long begin(String action, String target) {
    try (Connection connection = stores.dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                """
                insert into idembox.audit (who, via, consumer, action, target)
                values (?, ?, ?, ?, ?) returning id
                """)) {
      insert.setString(1, shortened(who));
      insert.setString(2, via.name().toLowerCase(Locale.ROOT));
      insert.setString(3, stores.settings().get(Options.NAME));
      insert.setString(4, action);
      insert.setString(5, shortened(target));
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    } catch (SQLException e) {
      throw new ServerException(
          stores.database().address()
              + " cannot take the audit's note, so nothing was changed: "
              + stores.state(e),
          e);
    }
  }

  private void end(long id, String outcome) {
    try (Connection connection = stores.dataSource().getConnection();
        PreparedStatement update =
            connection.prepareStatement("update idembox.audit set outcome = ? where id = ?")) {
      update.setString(1, shortened(outcome));
      update.setLong(2, id);
      update.executeUpdate();
    } catch (SQLException e) {
      // The change is made or refused already; its beginning is on record.
      org.slf4j.LoggerFactory.getLogger(Audit.class)
          .warn("The outcome of audited change {} could not be noted: {}", id, outcome, e);
    }
  }

  /** What PostgreSQL can store, and people can read. */
  private static String shortened(String text) {
    String storable = text.replace("\u0000", "");
    return storable.length() > LONGEST ? storable.substring(0, LONGEST) : storable;
  }
}
