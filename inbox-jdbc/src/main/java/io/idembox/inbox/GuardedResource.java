package io.idembox.inbox;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLXML;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the driver hands out beside statements (result sets, meta data, arrays, large objects): as
 * the driver's, but it dies with the view, and its way back leads to the guarded parent. Each of
 * them can reach the connection: an array by the result set that it makes of itself.
 */
final class GuardedResource implements InvocationHandler {
  /** The closest type first: a driver's object may have several. */
  private static final List<Class<?>> TYPES =
      List.of(
          ResultSet.class,
          DatabaseMetaData.class,
          ResultSetMetaData.class,
          ParameterMetaData.class,
          Array.class,
          Blob.class,
          NClob.class,
          Clob.class,
          SQLXML.class);

  private static final Set<String> TO_PARENT = Set.of("getStatement", "getConnection");

  /** Streams into a large object would write when the message is long over. */
  private static final Set<String> WRITING_STREAMS =
      Set.of("setBinaryStream", "setAsciiStream", "setCharacterStream");

  private final TransactionScope scope;
  private final TransactionView view;
  private final Class<?> type;
  private final Object target;
  private final @Nullable Object parent;

  private GuardedResource(
      TransactionScope scope,
      TransactionView view,
      Class<?> type,
      Object target,
      @Nullable Object parent) {
    this.scope = scope;
    this.view = view;
    this.type = type;
    this.target = target;
    this.parent = parent;
  }

  /**
   * The result of a driver's call, guarded if it could reach the connection.
   *
   * @param parent answers where it asks back: a statement for result sets, the connection for meta
   *     data; null when there is none
   */
  static @Nullable Object of(
      TransactionScope scope,
      TransactionView view,
      @Nullable Object result,
      @Nullable Object parent) {
    if (result == null || result instanceof Number || result instanceof Boolean) {
      // What setters, counts and flags answer: most calls by far.
      return result;
    }
    for (Class<?> type : TYPES) {
      if (type.isInstance(result)) {
        return GuardedConnection.proxy(
            type, new GuardedResource(scope, view, type, result, parent));
      }
    }
    return result;
  }

  /** The driver wants its own objects back as arguments. */
  static @Nullable Object @Nullable [] unguarded(@Nullable Object @Nullable [] args) {
    if (args == null) {
      return null;
    }
    @Nullable Object[] own = args;
    for (int i = 0; i < args.length; i++) {
      Object arg = args[i];
      if (arg instanceof Proxy
          && Proxy.getInvocationHandler(arg) instanceof GuardedResource guarded) {
        own = own == args ? args.clone() : own;
        own[i] = guarded.target;
      }
    }
    return own;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      // An array's text is its value, and means something to people and to drivers.
      String text = type == Array.class ? target.toString() : type.getSimpleName();
      return GuardedConnection.objectMethod(proxy, name, args, text);
    }
    synchronized (scope.lock) {
      if (!scope.isAlive(view)) {
        if (name.equals("close") || name.equals("free")) {
          return null;
        }
        if (name.equals("isClosed")) {
          return true;
        }
      }
      scope.check(view, type.getSimpleName() + "." + name);
      return guarded(method, name, args);
    }
  }

  private @Nullable Object guarded(Method method, String name, @Nullable Object @Nullable [] args)
      throws Throwable {
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
    if (WRITING_STREAMS.contains(name)
        && (type == Blob.class || Clob.class.isAssignableFrom(type))) {
      throw new ForbiddenCallException(
          type.getSimpleName() + "." + name,
          "the stream would outlast the message; write with setBytes or setString");
    }
    if (name.endsWith("Row") && !name.startsWith("is")) {
      // updateRow, insertRow, deleteRow, refreshRow send statements of their own.
      scope.flush();
    }
    // A result set of meta data, of an array or inside of another belongs to no statement.
    return of(scope, view, GuardedConnection.call(scope, target, method, unguarded(args)), null);
  }
}
