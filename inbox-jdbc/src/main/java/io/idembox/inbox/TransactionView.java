package io.idembox.inbox;

import io.idembox.effect.EffectCode;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.EffectStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * One message's view of the transaction. Cheap to make: what needs the connection is made when
 * asked for.
 */
final class TransactionView implements InboxTransaction, TransactionEffects {
  private final TransactionScope scope;
  private final int message;
  private @Nullable Connection connection;
  private @Nullable Handle handle;
  private @Nullable Set<Statement> statements;
  private @Nullable Set<Object> savepoints;

  TransactionView(TransactionScope scope, int message) {
    this.scope = scope;
    this.message = message;
  }

  @Override
  public Handle handle() {
    synchronized (scope.lock) {
      scope.check(this, "InboxTransaction.handle");
      Handle h = handle;
      if (h == null) {
        h = scope.openHandle(connection());
        handle = h;
      }
      return h;
    }
  }

  @Override
  public Connection connection() {
    synchronized (scope.lock) {
      scope.check(this, "InboxTransaction.connection");
      Connection c = connection;
      if (c == null) {
        c = GuardedConnection.of(scope, this);
        connection = c;
      }
      return c;
    }
  }

  @Override
  public void enqueue(String sql, @Nullable Object... args) {
    synchronized (scope.lock) {
      scope.check(this, "InboxTransaction.enqueue");
      refuseUnlessPlain(sql);
      scope.writes.enqueue(message, sql, args);
    }
  }

  @Override
  public void enqueueUnordered(String sql, @Nullable Object... args) {
    synchronized (scope.lock) {
      scope.check(this, "InboxTransaction.enqueueUnordered");
      refuseUnlessPlain(sql);
      scope.writes.enqueueUnordered(message, sql, args);
    }
  }

  @Override
  public TransactionEffects effects() {
    return this;
  }

  @Override
  public <Q> void afterCommit(EffectName<Q, ?> effect, EffectKey key, Q request) {
    synchronized (scope.lock) {
      scope.check(this, "TransactionEffects.afterCommit");
      scope.intents.add(message, effect, key, request);
    }
  }

  @Override
  public <Q, R> @Nullable R once(EffectName<Q, R> effect, EffectKey key, Q request) {
    return during(effect.name(), once -> once.once(scope, message, effect, key, request));
  }

  @Override
  public <R> @Nullable R once(
      EffectPolicy policy, EffectKey key, Class<R> receiptType, EffectCode<R> code) {
    return during(
        key.operation(), once -> once.once(scope, message, policy, key, receiptType, code));
  }

  @FunctionalInterface
  private interface Call<R> {
    @Nullable R on(OnceCalls once);
  }

  private <R> @Nullable R during(String name, Call<R> call) {
    synchronized (scope.lock) {
      scope.check(this, "TransactionEffects.once");
      scope.effectBegins(name);
    }
    try {
      return call.on(scope.onceCalls());
    } catch (EffectStoreException e) {
      // Nothing ran for want of the guard's store. A handler that swallows it must not be committed
      // as done.
      scope.poison(e);
      throw e;
    } finally {
      synchronized (scope.lock) {
        scope.effectEnded();
      }
    }
  }

  /** Called under the lock. */
  void opened(Statement statement) {
    Set<Statement> open = statements;
    if (open == null) {
      open = Collections.newSetFromMap(new IdentityHashMap<>());
      statements = open;
    }
    open.add(statement);
  }

  void closed(Statement statement) {
    if (statements != null) {
      statements.remove(statement);
    }
  }

  Set<Object> savepoints() {
    Set<Object> own = savepoints;
    if (own == null) {
      own = new HashSet<>();
      savepoints = own;
    }
    return own;
  }

  /** With its statements, a view that somebody kept loses its cursors too. */
  void closeStatements() {
    if (statements == null) {
      return;
    }
    List<Statement> open = new ArrayList<>(statements);
    statements = null;
    for (Statement statement : open) {
      try {
        statement.close();
      } catch (SQLException e) {
        scope.failed(e);
      }
    }
  }

  private void refuseUnlessPlain(String sql) {
    SqlText.Verdict verdict = SqlText.of(sql);
    if (verdict.kind() != SqlText.Kind.PLAIN) {
      throw scope.refuse(
          "enqueue of " + verdict.word(), "only data-changing statements can be enqueued");
    }
  }
}
