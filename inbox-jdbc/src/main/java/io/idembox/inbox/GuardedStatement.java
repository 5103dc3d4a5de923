package io.idembox.inbox;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement on the guarded connection. It dies with the view that made it. */
final class GuardedStatement implements InvocationHandler {
  private final TransactionScope scope;
  private final TransactionView view;
  private final Connection connection;
  private final Statement target;
  private final @Nullable String prepared;
  private final List<String> batch = new ArrayList<>(0);

  private GuardedStatement(
      TransactionScope scope,
      TransactionView view,
      Connection connection,
      Statement target,
      @Nullable String prepared) {
    this.scope = scope;
    this.view = view;
    this.connection = connection;
    this.target = target;
    this.prepared = prepared;
  }

  static Statement of(
      TransactionScope scope,
      TransactionView view,
      Connection connection,
      Statement target,
      Class<? extends Statement> type,
      @Nullable String prepared) {
    return (Statement)
        GuardedConnection.proxy(
            type, new GuardedStatement(scope, view, connection, target, prepared));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return GuardedConnection.objectMethod(proxy, name, args, "statement of an inbox transaction");
    }
    if (name.equals("cancel")) {
      // Meant for another thread, while this statement holds the lock.
      return cancel(method);
    }
    synchronized (scope.lock) {
      if (!scope.isAlive(view)) {
        if (name.equals("close")) {
          return null;
        }
        if (name.equals("isClosed")) {
          return true;
        }
      }
      scope.check(view, "Statement." + name);
      return switch (name) {
        case "close" -> {
          view.closed(target);
          yield GuardedConnection.call(scope, target, method, args);
        }
        case "getConnection" -> connection;
        case "isWrapperFor" -> false;
        case "unwrap" ->
            throw new ForbiddenCallException(
                "Statement.unwrap", "the driver's statement would get around the inbox");
        default -> other((Statement) proxy, method, name, args);
      };
    }
  }

  private @Nullable Object other(
      Statement proxy, Method method, String name, @Nullable Object @Nullable [] args)
      throws Throwable {
    if (name.startsWith("execute")) {
      return execute(proxy, method, args);
    }
    if (name.equals("addBatch") && args != null && args[0] instanceof String sql) {
      StatementRules.check(scope, sql);
      batch.add(sql);
    } else if (name.equals("clearBatch")) {
      batch.clear();
    }
    return wrapped(
        proxy, GuardedConnection.call(scope, target, method, GuardedResource.unguarded(args)));
  }

  private @Nullable Object execute(
      Statement proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    String own = args != null && args.length > 0 && args[0] instanceof String sql ? sql : prepared;
    if (own != null && batch.isEmpty()) {
      return executeOne(proxy, method, args, own);
    }
    List<String> texts = new ArrayList<>(batch);
    if (own != null) {
      texts.add(own);
    }
    if (texts.isEmpty()) {
      scope.flush();
    }
    for (String text : texts) {
      StatementRules.before(scope, view, text);
    }
    batch.clear();
    Object result = GuardedConnection.call(scope, target, method, args);
    for (String text : texts) {
      StatementRules.after(scope, view, text);
    }
    return wrapped(proxy, result);
  }

  /** Nearly all statements: one text, and nothing collected before it. */
  private @Nullable Object executeOne(
      Statement proxy, Method method, @Nullable Object @Nullable [] args, String text)
      throws Throwable {
    StatementRules.before(scope, view, text);
    Object result = GuardedConnection.call(scope, target, method, args);
    StatementRules.after(scope, view, text);
    return wrapped(proxy, result);
  }

  private @Nullable Object wrapped(Statement proxy, @Nullable Object result) {
    return GuardedResource.of(scope, view, result, proxy);
  }

  private @Nullable Object cancel(Method method) throws Throwable {
    try {
      return scope.isAlive(view) ? method.invoke(target) : null;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
