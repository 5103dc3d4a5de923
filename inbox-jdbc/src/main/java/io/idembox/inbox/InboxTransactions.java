package io.idembox.inbox;

import io.idembox.effect.EffectCatalog;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs inbox transactions of one consumer: open, handle, flush, intents, close, commit; or roll
 * back.
 */
final class InboxTransactions {
  private static final Logger log = LoggerFactory.getLogger(InboxTransactions.class);

  private static final String RELEASE =
      "delete from idembox.inbox where consumer_id = ? and message_id = any(?::uuid[])";

  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final EffectCatalog effects;
  private final HandleFactory handles;
  private final JdbcEffectJournal journal;
  private final OnceMemory completed;
  private final UnsettledCommits unsettled;
  private final Predecessors predecessors;
  private final InheritedEffects inherited;

  InboxTransactions(
      InboxConfig config,
      RegisteredConsumer consumer,
      EffectCatalog effects,
      JdbcEffectJournal journal,
      OnceMemory completed,
      UnsettledCommits unsettled,
      Predecessors predecessors,
      InheritedEffects inherited) {
    this.config = config;
    this.consumer = consumer;
    this.effects = effects;
    this.handles = new HandleFactory(config.jdbi());
    this.journal = journal;
    this.completed = completed;
    this.unsettled = unsettled;
    this.predecessors = predecessors;
    this.inherited = inherited;
  }

  /** One transaction on a connection of its own. */
  InboxRun run(
      List<InboxClaim> claims, Opening opening, OnceCalls once, InboxWork work, Closing closing)
      throws Exception {
    return onConnection(connection -> run(connection, claims, opening, once, work, closing, null));
  }

  @FunctionalInterface
  interface OnConnection {
    InboxRun run(Connection connection) throws Exception;
  }

  /** Gets a connection and gives it back as it was. */
  InboxRun onConnection(OnConnection work) throws Exception {
    Connection connection = Sql.connect(config.dataSource());
    boolean restore = false;
    try {
      restore = connection.getAutoCommit();
      return work.run(connection);
    } finally {
      giveBack(connection, restore);
    }
  }

  /**
   * One transaction on a connection that is in none.
   *
   * @param claims what indexes in the opening, the work and the intents refer to
   * @param doneBefore which of them the consumer that is rebuilt has done; null to ask for it
   */
  InboxRun run(
      Connection connection,
      List<InboxClaim> claims,
      Opening opening,
      OnceCalls once,
      InboxWork work,
      Closing closing,
      @Nullable BitSet doneBefore)
      throws Exception {
    InboxSession session = new InboxSession(connection, config);
    IntentBuffer intents = new IntentBuffer(effects, config.codec(), consumer.namespace());
    TransactionScope scope = new TransactionScope(connection, session, handles, intents, once);
    try {
      BitSet fresh = session.begin(consumer.id(), opening);
      unsettled.seen(claims, fresh);
      if (!predecessors.isEmpty()) {
        scope.inheritOf(doneBefore == null ? doneBefore(scope.raw, claims) : doneBefore);
      }
      OpenBatch batch = new OpenBatch(scope, fresh, claims.size());
      work.handle(batch);
      scope.end();
      if (scope.poison() != null) {
        throw scope.poison();
      }
      List<JournalEntry> owed =
          finish(session, scope, intents, claims, batch.released(), fresh, closing);
      completed.succeeded(claims, fresh);
      scope.announce("commit");
      return new InboxRun(
          batch.covered(),
          fresh,
          owed,
          session.timeline(),
          session.owesEffects() || unsettled.anyCommitted(),
          session.openLetters());
    } catch (Throwable failure) {
      scope.end();
      completed.failed(claims, scope.completedOnce());
      if (isOutcomeUnknown(failure)) {
        unsettled.add(claims);
        Sql.discard(connection, failure);
      } else {
        Sql.rollback(connection, failure);
        scope.announce("rollback");
      }
      throw failure;
    } finally {
      scope.writes.close();
    }
  }

  private BitSet doneBefore(Connection connection, List<InboxClaim> claims) {
    try {
      return predecessors.done(connection, claims, null);
    } catch (SQLException e) {
      throw InboxStatementException.of(Phase.CLAIM, e);
    }
  }

  private List<JournalEntry> finish(
      InboxSession session,
      TransactionScope scope,
      IntentBuffer intents,
      List<InboxClaim> claims,
      BitSet released,
      BitSet fresh,
      Closing closing) {
    Phase phase = Phase.COMMIT;
    try {
      scope.flush();
      List<JournalEntry> owed = List.of();
      if (!intents.inherited().isEmpty()) {
        // Before the others: one that is asked for both ways was done.
        phase = Phase.INTENTS;
        session.takeBackTimeouts();
        inherited.add(scope.raw, intents.inherited(), claims);
      }
      if (!intents.isEmpty()) {
        phase = Phase.INTENTS;
        session.takeBackTimeouts();
        owed = journal.insert(scope.raw, intents.all(), claims);
      }
      if (!released.isEmpty()) {
        phase = Phase.CLAIM;
        session.takeBackTimeouts();
        release(scope.raw, claims, released);
      }
      phase = Phase.DEAD_LETTER;
      closing.close(scope.raw, session, fresh);
      phase = Phase.COMMIT;
      session.commit();
      putBackSettings(session, scope.raw);
      return owed;
    } catch (EnqueuedWriteException e) {
      if (e.getCause() instanceof SQLException sql
          && SqlErrors.is(sql, SqlErrors.IN_FAILED_TRANSACTION)) {
        throw new TransactionFailedException(firstError(scope, sql));
      }
      throw e;
    } catch (SQLException e) {
      if (SqlErrors.is(e, SqlErrors.IN_FAILED_TRANSACTION)) {
        throw new TransactionFailedException(firstError(scope, e));
      }
      boolean unknown = phase == Phase.COMMIT && SqlErrors.isConnectionLost(e);
      throw new InboxStatementException(
          phase,
          "The inbox failed at "
              + phase
              + (unknown ? ", and whether it was committed is unknown: " : ": ")
              + SqlErrors.describe(e),
          e,
          unknown);
    }
  }

  /**
   * Takes back the claims of messages that were not reached. Another member that waits for one of
   * them inserts its own row when this transaction ends; a rollback to a savepoint would do the
   * same, but undo the writes of what was handled too.
   */
  private void release(Connection connection, List<InboxClaim> claims, BitSet released)
      throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(RELEASE)) {
      delete.setShort(1, consumer.id());
      delete.setObject(
          2,
          SqlArrays.uuids(released.stream().mapToObj(i -> claims.get(i).messageId()).toList()),
          Types.OTHER);
      delete.executeUpdate();
    }
  }

  private static SQLException firstError(TransactionScope scope, SQLException last) {
    SQLException first = scope.firstError();
    return first == null ? last : first;
  }

  /** The commit has been answered: nothing that happens now may look like its failure. */
  private void putBackSettings(InboxSession session, Connection connection) {
    try {
      session.putBackSettings();
    } catch (SQLException e) {
      log.warn(
          "Consumer {}: a connection is given up, because settings that a handler changed could not"
              + " be put back: {}",
          consumer.name(),
          SqlErrors.describe(e));
      Sql.discard(connection, e);
    }
  }

  private static void giveBack(Connection connection, boolean autoCommit) {
    try {
      if (autoCommit && !connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      // A connection that cannot even do that must not be used again.
      Sql.discard(connection, e);
    }
    Sql.close(connection);
  }

  private static boolean isOutcomeUnknown(Throwable failure) {
    return failure instanceof InboxStatementException statement && statement.outcomeUnknown();
  }
}
