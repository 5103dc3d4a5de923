package io.idembox.inbox;

import io.idembox.inbox.OnceMemory.Completed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one inbox transaction that its views share. Every call on a view, from whatever
 * thread, runs under {@link #lock}: so a view's end waits for a statement under way, and none
 * starts after it.
 */
final class TransactionScope {
  private static final Logger log = LoggerFactory.getLogger(TransactionScope.class);

  final Object lock = new Object();
  final Connection raw;
  private final InboxSession session;
  final WriteBuffer writes;
  final IntentBuffer intents;
  private final HandleFactory handles;
  private final OnceCalls once;
  private BitSet doneBefore = new BitSet(0);

  private @Nullable TransactionView current;
  private @Nullable SQLException firstError;
  private @Nullable RuntimeException poison;
  private final List<Completed> completed = new ArrayList<>(0);
  private @Nullable String runningEffect;
  private @Nullable Map<String, String> settingsBefore;
  private final List<Handle> handlesOpened = new ArrayList<>(0);
  private @Nullable String announcing;

  TransactionScope(
      Connection raw,
      InboxSession session,
      HandleFactory handles,
      IntentBuffer intents,
      OnceCalls once) {
    this.raw = raw;
    this.session = session;
    this.handles = handles;
    this.intents = intents;
    this.once = once;
    this.writes = new WriteBuffer(raw);
  }

  /** These messages were done by the consumer that this one rebuilds. */
  void inheritOf(BitSet messages) {
    doneBefore = messages;
    intents.inheritOf(messages);
  }

  boolean inherits(int message) {
    return doneBefore.get(message);
  }

  /** Whether some of these messages were done before, and others were not. */
  boolean isMixed(BitSet messages) {
    BitSet both = (BitSet) messages.clone();
    both.and(doneBefore);
    return !both.isEmpty() && both.cardinality() < messages.cardinality();
  }

  /** Ends the view before, and puts back what its handler changed in the session. */
  TransactionView begin(int message) {
    end();
    synchronized (lock) {
      TransactionView view = new TransactionView(this, message);
      current = view;
      return view;
    }
  }

  /** Kills the view handed out last. */
  void end() {
    synchronized (lock) {
      TransactionView view = current;
      current = null;
      if (view != null) {
        view.closeStatements();
      }
      putBackSettings();
    }
  }

  /** Called under the lock before anything is done for a view. */
  void check(TransactionView view, String call) {
    if (view != current) {
      throw new ForbiddenCallException(
          call,
          "the handler has returned, and the transaction is no longer its own; do the work before returning");
    }
    if (runningEffect != null) {
      throw new ForbiddenCallException(
          call,
          "the effect "
              + runningEffect
              + " is running inside of the transaction; its code must not use the transaction, or both may wait"
              + " for each other for ever");
    }
  }

  boolean isAlive(TransactionView view) {
    return view == current;
  }

  /**
   * Refuses what would end or bend the transaction; remembered, so that swallowing it does not
   * help.
   */
  ForbiddenCallException refuse(String call, String rule) {
    ForbiddenCallException refusal = new ForbiddenCallException(call, rule);
    poison(refusal);
    return refusal;
  }

  void failed(SQLException e) {
    if (firstError == null) {
      firstError = e;
    }
  }

  /** Sends what is enqueued. A failure is remembered too: whoever triggered it may swallow it. */
  void flush() {
    try {
      writes.flush();
    } catch (EnqueuedWriteException e) {
      if (e.getCause() instanceof SQLException sql) {
        failed(sql);
      }
      throw e;
    }
  }

  /** A savepoint was restored: the error before it is healed. */
  void healed() {
    firstError = null;
  }

  void changesSettings() throws SQLException {
    if (settingsBefore == null) {
      settingsBefore = SessionSettings.snapshot(raw);
    }
  }

  @Nullable SQLException firstError() {
    return firstError;
  }

  /** Why this transaction must not be committed, whatever the handler makes of it. */
  void poison(RuntimeException reason) {
    synchronized (lock) {
      if (poison == null) {
        poison = reason;
      }
    }
  }

  @Nullable RuntimeException poison() {
    return poison;
  }

  /** An effect that happened inside of this transaction, which may still fail. */
  void completed(Completed effect) {
    synchronized (lock) {
      completed.add(effect);
    }
  }

  List<Completed> completedOnce() {
    return completed;
  }

  Handle openHandle(Connection guarded) {
    Handle handle = handles.open(guarded);
    handlesOpened.add(handle);
    return handle;
  }

  /**
   * Runs what handlers hung on their handles ({@code afterCommit}, {@code afterRollback}), which
   * Jdbi does only when the handle itself ends the transaction. The outcome stands: what is thrown
   * here is somebody's to know of, and changes nothing.
   *
   * @param call {@code commit} or {@code rollback}: what has happened, and is allowed meanwhile
   */
  void announce(String call) {
    for (Handle handle : handlesOpened) {
      try {
        announcing = call;
        if (call.equals("commit")) {
          handle.commit();
        } else {
          handle.rollback();
        }
      } catch (RuntimeException e) {
        log.warn("What a handler hung on the {} of its handle failed", call, e);
      } finally {
        announcing = null;
      }
    }
    handlesOpened.clear();
  }

  /** Whether this call on a dead view says what has happened already. */
  boolean isAnnounced(String call) {
    return call.equals(announcing);
  }

  OnceCalls onceCalls() {
    return once;
  }

  /** From now on, and until {@link #effectEnded}, the view refuses statements. */
  void effectBegins(String name) {
    runningEffect = name;
  }

  void effectEnded() {
    runningEffect = null;
  }

  private void putBackSettings() {
    Map<String, String> before = settingsBefore;
    if (before == null) {
      return;
    }
    settingsBefore = null;
    try {
      Map<String, String> changed = SessionSettings.changed(before, SessionSettings.snapshot(raw));
      session.putBack(changed);
    } catch (SQLException e) {
      // In a failed transaction: its rollback puts everything back, and its commit is refused.
      failed(e);
    }
  }
}
