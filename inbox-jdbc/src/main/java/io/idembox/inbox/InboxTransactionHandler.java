package io.idembox.inbox;

import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jdbi.v3.core.transaction.TransactionHandler;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Jdbi's transaction calls on a handle whose transaction is the inbox's: {@code inTransaction}
 * joins it, commit and rollback reach the guarded connection, which refuses them.
 */
final class InboxTransactionHandler implements TransactionHandler {
  private final Map<String, Savepoint> savepoints = new HashMap<>();

  @Override
  public TransactionHandler specialize(Handle handle) {
    return new InboxTransactionHandler();
  }

  @Override
  public void begin(Handle handle) {
    // Already begun. What ends it is refused below.
  }

  @Override
  public void commit(Handle handle) {
    run("commit", () -> handle.getConnection().commit());
  }

  @Override
  public void rollback(Handle handle) {
    run("rollback", () -> handle.getConnection().rollback());
  }

  @Override
  public boolean isInTransaction(Handle handle) {
    return true;
  }

  @Override
  public void savepoint(Handle handle, String name) {
    run("savepoint", () -> savepoints.put(name, handle.getConnection().setSavepoint(name)));
  }

  @Override
  public void rollbackToSavepoint(Handle handle, String name) {
    run("rollback to savepoint", () -> handle.getConnection().rollback(known(name)));
  }

  @Override
  public void releaseSavepoint(Handle handle, String name) {
    run("release savepoint", () -> handle.getConnection().releaseSavepoint(known(name)));
    savepoints.remove(name);
  }

  @Override
  public <R extends @Nullable Object, X extends Exception> R inTransaction(
      Handle handle, HandleCallback<R, X> callback) throws X {
    return callback.withHandle(handle);
  }

  @Override
  public <R extends @Nullable Object, X extends Exception> R inTransaction(
      Handle handle, TransactionIsolationLevel level, HandleCallback<R, X> callback) throws X {
    handle.setTransactionIsolationLevel(level);
    return callback.withHandle(handle);
  }

  private Savepoint known(String name) {
    Savepoint savepoint = savepoints.get(name);
    if (savepoint == null) {
      throw new TransactionException("No savepoint " + name + " was set by this message");
    }
    return savepoint;
  }

  private static void run(String what, Step step) {
    try {
      step.run();
    } catch (SQLException e) {
      throw new TransactionException("Failed at " + what, e);
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws SQLException;
  }
}
