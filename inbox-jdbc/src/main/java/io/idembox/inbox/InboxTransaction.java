package io.idembox.inbox;

import java.sql.Connection;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The transaction that a handler's writes share with the inbox row: both commit, or neither.
 *
 * <p>It belongs to the inbox. Commit, rollback, close, unwrap, auto-commit and isolation changes
 * are refused with a {@link ForbiddenCallException}, as calls and as SQL. Savepoints are allowed
 * within one message. Session settings that a handler changes are put back after it. The view is
 * dead once the handler has returned, for other threads too.
 */
public interface InboxTransaction {
  /**
   * Jdbi on this transaction. The same object at each call. What is hung on it with {@code
   * afterCommit} runs when the database has answered the inbox's commit, unguarded and at most
   * once; it is meant for caches and the like, {@link TransactionEffects#afterCommit} for effects.
   */
  Handle handle();

  /** JDBC on this transaction. The same object at each call. */
  Connection connection();

  /**
   * Writes later, together with neighbours: statements of the same text that are enqueued one after
   * another, by this and following messages of the transaction, go to the database as one JDBC
   * batch. Order is kept: what is enqueued is sent before any other statement runs, before a
   * statement of another text, and before the commit.
   *
   * @param sql one data-changing statement with {@code ?} for each argument
   * @param args anything the driver takes, and {@link java.time.Instant}; arrays of bytes are
   *     copied
   * @throws EnqueuedWriteException if an argument cannot be bound; errors of the database surface
   *     when the batch is sent
   */
  void enqueue(String sql, @Nullable Object... args);

  /**
   * As {@link #enqueue}, for writes that commute: all of the same text are sent together, whatever
   * was enqueued in between.
   */
  void enqueueUnordered(String sql, @Nullable Object... args);

  /** External effects that belong to this message. */
  TransactionEffects effects();
}
