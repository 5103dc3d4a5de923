package io.idembox.inbox;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A result set or meta data: as the driver's, but its way back leads to the guarded parent. */
final class GuardedResource implements InvocationHandler {
  private static final Set<String> TO_PARENT = Set.of("getStatement", "getConnection");

  private final TransactionScope scope;
  private final TransactionView view;
  private final Class<?> type;
  private final Object target;
  private final Object parent;

  private GuardedResource(
      TransactionScope scope, TransactionView view, Class<?> type, Object target, Object parent) {
    this.scope = scope;
    this.view = view;
    this.type = type;
    this.target = target;
    this.parent = parent;
  }

  static Object of(
      TransactionScope scope, TransactionView view, Class<?> type, Object target, Object parent) {
    return GuardedConnection.proxy(type, new GuardedResource(scope, view, type, target, parent));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return GuardedConnection.objectMethod(proxy, name, args, type.getSimpleName());
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
      scope.check(view, type.getSimpleName() + "." + name);
      if (TO_PARENT.contains(name)) {
        return parent;
      }
      if (name.equals("unwrap")) {
        throw new ForbiddenCallException(
            type.getSimpleName() + ".unwrap", "the driver's object would get around the inbox");
      }
      if (name.equals("isWrapperFor")) {
        return false;
      }
      if (name.endsWith("Row") && !name.startsWith("is")) {
        // updateRow, insertRow, deleteRow, refreshRow send statements of their own.
        scope.flush();
      }
      Object result = GuardedConnection.call(scope, target, method, args);
      // Meta data hands out result sets of the driver's own making; they lead back to nothing.
      return result instanceof java.sql.ResultSet rows
          ? of(scope, view, java.sql.ResultSet.class, rows, proxy)
          : result;
    }
  }
}
