package io.idembox.migrations;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Lets Flyway, which wants several connections and sets session state on them, work inside of one
 * transaction on one connection: its transactions become savepoints. So nothing is half migrated;
 * instances that outnumber a pooler's sessions don't wait for each other's connections; and what
 * Flyway sets ({@code search_path}, {@code role}) never stays on a session that belongs to a pooler
 * and goes to somebody else next.
 */
final class OneSession {
  private static final String READ_STATE =
      "select current_setting('search_path'), current_setting('role')";
  private static final String PUT_BACK_STATE =
      "select set_config('search_path', ?, false), set_config('role', ?, false)";

  /** Time-outs of a role or a database are meant for its queries; a migration takes its time. */
  private static final String NO_TIMEOUTS =
      """
      select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', '0', true)
      """;

  private final Connection session;
  private final Deque<Savepoint> open = new ArrayDeque<>();

  private OneSession(Connection session) {
    this.session = session;
  }

  /** Work in the transaction. */
  @FunctionalInterface
  interface Work<T> {
    /**
     * Does it.
     *
     * @param session in the transaction
     * @param nested hands out the same session, over and over
     */
    T run(Connection session, DataSource nested) throws SQLException;
  }

  /** One that is rolled back: nothing that is read here leaves a trace. */
  static <T> T reading(DataSource source, Work<T> work) throws SQLException {
    return run(source, false, work);
  }

  /** One that is committed, if the work returns. */
  static <T> T writing(DataSource source, Work<T> work) throws SQLException {
    return run(source, true, work);
  }

  private static <T> T run(DataSource source, boolean commit, Work<T> work) throws SQLException {
    try (Connection connection = source.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        T result = inside(connection, work);
        if (commit) {
          connection.commit();
        } else {
          connection.rollback();
        }
        return result;
      } catch (SQLException | RuntimeException | Error e) {
        rollback(connection, e);
        throw e;
      } finally {
        if (!connection.isClosed()) {
          connection.setAutoCommit(autoCommit);
        }
      }
    }
  }

  private static <T> T inside(Connection connection, Work<T> work) throws SQLException {
    try (Statement statement = connection.createStatement();
        PreparedStatement putBack = connection.prepareStatement(PUT_BACK_STATE)) {
      statement.execute(NO_TIMEOUTS);
      try (ResultSet before = statement.executeQuery(READ_STATE)) {
        before.next();
        putBack.setString(1, before.getString(1));
        putBack.setString(2, before.getString(2));
      }
      T result = work.run(connection, new OneSession(connection).dataSource());
      putBack.execute();
      return result;
    }
  }

  private static void rollback(Connection connection, Throwable because) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      because.addSuppressed(e);
    }
  }

  private DataSource dataSource() {
    return proxy(
        DataSource.class,
        (proxy, method, args) ->
            method.getName().equals("getConnection")
                ? proxy(Connection.class, new Nested())
                : ofObject(proxy, method, args));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(OneSession.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object ofObject(Object proxy, Method method, @Nullable Object[] args) {
    return switch (method.getName()) {
      case "equals" -> proxy == args[0];
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "one session";
      default -> throw new UnsupportedOperationException(method.toString());
    };
  }

  /** A connection whose transactions are savepoints of the session's. */
  private final class Nested implements InvocationHandler {
    private boolean closed;
    private @Nullable Savepoint begun;

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] args)
        throws Throwable {
      return switch (method.getName()) {
        case "getAutoCommit" -> begun == null;
        case "setAutoCommit" -> setAutoCommit(Boolean.TRUE.equals(args[0]));
        case "commit" -> next(false);
        case "rollback" -> next(true);
        case "isClosed" -> closed;
        case "close" -> close();
        case "equals", "hashCode" -> ofObject(proxy, method, args);
        default -> call(method, args);
      };
    }

    private @Nullable Object next(boolean undo) throws SQLException {
      end(undo);
      begin();
      return null;
    }

    private @Nullable Object close() throws SQLException {
      closed = true;
      end(true);
      return null;
    }

    private @Nullable Object call(Method method, @Nullable Object[] args) throws Throwable {
      try {
        return method.invoke(session, args);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private @Nullable Object setAutoCommit(boolean autoCommit) throws SQLException {
      if (autoCommit) {
        end(false);
      } else if (begun == null) {
        begin();
      }
      return null;
    }

    private void begin() throws SQLException {
      begun = session.setSavepoint();
      open.push(begun);
    }

    private void end(boolean undo) throws SQLException {
      Savepoint savepoint = begun;
      begun = null;
      if (savepoint == null || !open.contains(savepoint)) {
        return;
      }
      if (undo) {
        session.rollback(savepoint);
      }
      session.releaseSavepoint(savepoint);
      // Those that were begun after it have ended with it.
      while (!open.isEmpty() && open.pop() != savepoint) {}
    }
  }
}
