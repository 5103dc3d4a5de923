package io.idembox.inbox;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a connection right before or right after one statement was executed, as a crash or the
 * network would.
 */
final class FaultyDataSource implements DataSource {
  /** When the cut comes. */
  enum When {
    /** The server never sees the statement. */
    BEFORE,
    /** The server has executed it; the answer is lost. */
    AFTER
  }

  /** What happens to the connection then. */
  @FunctionalInterface
  interface Action {
    void on(Connection connection) throws SQLException;
  }

  private record Fault(String sqlPart, When when, @Nullable Action action) {}

  private final DataSource target;
  private final AtomicReference<@Nullable Fault> fault = new AtomicReference<>();

  FaultyDataSource(DataSource target) {
    this.target = target;
  }

  /** The next execution of a prepared statement whose text holds this part. */
  void cutOnce(When when, String sqlPart) {
    fault.set(new Fault(sqlPart, when, null));
  }

  /** Does something else than cutting, and goes on. */
  void actOnce(When when, String sqlPart, Action action) {
    fault.set(new Fault(sqlPart, when, action));
  }

  /** Whatever was planned does not happen any more. */
  void heal() {
    fault.set(null);
  }

  boolean hasCut() {
    return fault.get() == null;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection real = target.getConnection();
    return proxy(
        Connection.class,
        real,
        (name, args, result) ->
            result instanceof PreparedStatement statement && args != null
                ? faulty(real, statement, (String) args[0])
                : result);
  }

  private PreparedStatement faulty(Connection connection, PreparedStatement statement, String sql) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, args) -> {
              Fault planned = fault.get();
              boolean hit =
                  method.getName().startsWith("execute")
                      && planned != null
                      && sql.contains(planned.sqlPart())
                      && fault.compareAndSet(planned, null);
              if (hit && planned.when() == When.BEFORE) {
                happens(planned, connection);
              }
              Object result = call(statement, method, args);
              if (hit && planned.when() == When.AFTER) {
                happens(planned, connection);
              }
              return result;
            });
  }

  private static void happens(Fault fault, Connection connection) throws SQLException {
    if (fault.action() == null) {
      throw cut(connection);
    }
    fault.action().on(connection);
  }

  private static SQLException cut(Connection connection) throws SQLException {
    connection.abort(Runnable::run);
    return new SQLException("An I/O error occurred while sending to the backend.", "08006");
  }

  @FunctionalInterface
  private interface Replace {
    @Nullable Object result(
        String method, @Nullable Object @Nullable [] args, @Nullable Object result);
  }

  private static <T> T proxy(Class<T> type, Object target, Replace replace) {
    return type.cast(
        Proxy.newProxyInstance(
            FaultyDataSource.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) ->
                replace.result(method.getName(), args, call(target, method, args))));
  }

  private static @Nullable Object call(
      Object target, java.lang.reflect.Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLException("Not used here");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {
    // Nothing is written.
  }

  @Override
  public void setLoginTimeout(int seconds) {
    // The target's own counts.
  }

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("Not a wrapper");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
