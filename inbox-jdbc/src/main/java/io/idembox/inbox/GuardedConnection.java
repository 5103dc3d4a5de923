package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection that a handler sees. A proxy rather than a written-out class: JDBC adds methods,
 * and one that nobody thought of must not slip past the guard. Direct statements pay a round trip
 * each anyway; enqueued writes do not come through here.
 */
final class GuardedConnection implements InvocationHandler {
  private static final Set<String> ENDING = Set.of("commit", "close", "abort");
  private static final Set<String> UNCHANGEABLE =
      Set.of(
          "setTransactionIsolation",
          "setReadOnly",
          "setHoldability",
          "setTypeMap",
          "setShardingKey");

  private final TransactionScope scope;
  private final TransactionView view;

  private GuardedConnection(TransactionScope scope, TransactionView view) {
    this.scope = scope;
    this.view = view;
  }

  static Connection of(TransactionScope scope, TransactionView view) {
    return (Connection) proxy(Connection.class, new GuardedConnection(scope, view));
  }

  static Object proxy(Class<?> type, InvocationHandler handler) {
    return Proxy.newProxyInstance(
        GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler);
  }

  /** Calls the real object; an SQL error is remembered as what may have failed the transaction. */
  static @Nullable Object call(
      TransactionScope scope, Object target, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException sql) {
        scope.failed(sql);
      }
      throw e.getCause();
    }
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return objectMethod(proxy, name, args, "inbox transaction");
    }
    synchronized (scope.lock) {
      if (name.equals("isClosed")) {
        return !scope.isAlive(view);
      }
      if (scope.isAnnounced(name)) {
        return null;
      }
      scope.check(view, "Connection." + name);
      return guarded((Connection) proxy, method, name, args);
    }
  }

  static @Nullable Object objectMethod(
      Object proxy, String name, @Nullable Object @Nullable [] args, String what) {
    return switch (name) {
      case "equals" -> args != null && proxy == args[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> what;
    };
  }

  private @Nullable Object guarded(
      Connection proxy, Method method, String name, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (ENDING.contains(name) || (name.equals("rollback") && args == null)) {
      throw scope.refuse(
          "Connection." + name,
          "the inbox ends the transaction: return to commit it, throw to roll it back");
    }
    if (UNCHANGEABLE.contains(name)) {
      return unchangeable(name, args);
    }
    return switch (name) {
      case "setAutoCommit" -> setAutoCommit(args);
      case "unwrap" ->
          throw new ForbiddenCallException(
              "Connection.unwrap", "the driver's connection would get around the inbox");
      case "isWrapperFor" -> false;
      case "setSavepoint" -> setSavepoint(method, args);
      case "rollback" -> toSavepoint((Savepoint) first(args), "rollback", method);
      case "releaseSavepoint" -> toSavepoint((Savepoint) first(args), "release", method);
      case "setNetworkTimeout" ->
          throw new ForbiddenCallException(
              "Connection.setNetworkTimeout",
              "it would outlast the transaction; set it on the data source");
      case "createStatement", "prepareStatement", "prepareCall" ->
          statement(proxy, method, name, args);
      default -> other(proxy, method, name, args);
    };
  }

  private @Nullable Object setAutoCommit(@Nullable Object @Nullable [] args) {
    if (args != null && Boolean.TRUE.equals(args[0])) {
      throw scope.refuse("Connection.setAutoCommit(true)", "it would commit what is not finished");
    }
    return null;
  }

  private Object setSavepoint(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    scope.flush();
    Object savepoint = requireNonNull(call(scope, scope.raw, method, args));
    view.savepoints().add(savepoint);
    return savepoint;
  }

  private Statement statement(
      Connection proxy, Method method, String name, @Nullable Object @Nullable [] args)
      throws Throwable {
    String sql = args != null && args.length > 0 && args[0] instanceof String text ? text : null;
    if (sql != null) {
      StatementRules.check(scope, sql);
    }
    Statement statement = (Statement) requireNonNull(call(scope, scope.raw, method, args));
    view.opened(statement);
    return GuardedStatement.of(scope, view, proxy, statement, statementType(name), sql);
  }

  private @Nullable Object other(
      Connection proxy, Method method, String name, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (name.equals("setSchema") || name.equals("setClientInfo")) {
      scope.changesSettings();
    }
    return GuardedResource.of(scope, view, call(scope, scope.raw, method, args), proxy);
  }

  private static Class<? extends Statement> statementType(String method) {
    return switch (method) {
      case "prepareStatement" -> PreparedStatement.class;
      case "prepareCall" -> CallableStatement.class;
      default -> Statement.class;
    };
  }

  private static Object first(@Nullable Object @Nullable [] args) {
    if (args == null || args[0] == null) {
      throw new IllegalArgumentException("The savepoint is null");
    }
    return args[0];
  }

  private @Nullable Object unchangeable(String name, @Nullable Object @Nullable [] args)
      throws SQLException {
    boolean sameIsolation =
        name.equals("setTransactionIsolation")
            && args != null
            && Integer.valueOf(scope.raw.getTransactionIsolation()).equals(args[0]);
    boolean sameAccess =
        name.equals("setReadOnly") && args != null && Boolean.FALSE.equals(args[0]);
    if (!sameIsolation && !sameAccess) {
      throw scope.refuse(
          "Connection." + name,
          "it belongs to the connection, not to a message; set it on the data source");
    }
    return null;
  }

  private @Nullable Object toSavepoint(Savepoint savepoint, String call, Method method)
      throws Throwable {
    if (!view.savepoints().contains(savepoint)) {
      throw scope.refuse(
          "Connection." + call + "(Savepoint)",
          "the savepoint was not set by this message; it would undo another one's writes");
    }
    scope.flush();
    Object result = call(scope, scope.raw, method, new Object[] {savepoint});
    if (call.equals("rollback")) {
      scope.healed();
    }
    return result;
  }
}
