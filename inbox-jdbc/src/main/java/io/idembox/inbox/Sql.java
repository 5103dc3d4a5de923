package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Short transactions of our own, outside of an inbox transaction. */
final class Sql {
  private Sql() {}

  /** Work on a connection that is in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  static <T> T inTransaction(DataSource dataSource, Phase phase, Work<T> work) {
    Connection connection = connect(dataSource);
    try {
      boolean autoCommit = connection.getAutoCommit();
      try {
        connection.setAutoCommit(false);
        T result = work.run(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException | Error e) {
        rollback(connection, e);
        throw e;
      } finally {
        if (autoCommit && !connection.isClosed()) {
          connection.setAutoCommit(true);
        }
      }
    } catch (SQLException e) {
      throw InboxStatementException.of(phase, e);
    } finally {
      close(connection);
    }
  }

  /** Work that is one statement, and so a transaction by itself: one round trip. */
  static <T> T single(DataSource dataSource, Phase phase, Work<T> work) {
    Connection connection = connect(dataSource);
    try {
      boolean autoCommit = connection.getAutoCommit();
      if (!autoCommit) {
        connection.setAutoCommit(true);
      }
      T result = work.run(connection);
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
      return result;
    } catch (SQLException e) {
      throw InboxStatementException.of(phase, e);
    } finally {
      close(connection);
    }
  }

  static Connection connect(DataSource dataSource) {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw InboxStatementException.of(Phase.CONNECT, e);
    }
  }

  /** Never hides the failure that led here. A connection that cannot roll back is thrown away. */
  static void rollback(Connection connection, Throwable because) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      because.addSuppressed(e);
      discard(connection, because);
    }
  }

  static void discard(Connection connection, Throwable because) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }

  static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException ignored) {
      // The transaction is over either way, and the pool gives up a connection that cannot be
      // closed.
    }
  }
}
