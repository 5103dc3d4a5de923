package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member's view of a consumer's inbox. Thread-safe: each {@link #run} takes a connection of its
 * own from the data source and works on the calling thread.
 */
public final class ConsumerInbox {
  private static final Logger log = LoggerFactory.getLogger(ConsumerInbox.class);

  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final EffectCatalog effects;
  private final Registry registry;
  private final HandleFactory handles;
  private final OnceCalls once;
  private final JdbcEffectJournal journal;
  private final DuplicateProbe probe;
  private final JdbcProgress progress;
  private final Map<Topic, Integer> topics = new ConcurrentHashMap<>();

  private record Topic(UUID kafkaTopicId, String name) {}

  ConsumerInbox(
      InboxConfig config,
      RegisteredConsumer consumer,
      EffectCatalog effects,
      @Nullable EffectGuard guard) {
    this.config = config;
    this.consumer = requireNonNull(consumer, "consumer");
    this.effects = requireNonNull(effects, "effects");
    this.registry = new Registry(config.dataSource());
    this.handles = new HandleFactory(config.jdbi());
    this.once = new OnceCalls(effects, guard);
    this.journal = new JdbcEffectJournal(config, consumer, effects);
    this.probe = new DuplicateProbe(consumer.id());
    this.progress = new JdbcProgress(config.dataSource(), consumer.id());
  }

  /**
   * The number under which a topic stands in the inbox; asked from the database once.
   *
   * @param kafkaTopicId zero when the broker names none
   * @throws InboxStatementException if it had to be asked and that failed
   */
  public int topicId(UUID kafkaTopicId, String name) {
    Topic topic = new Topic(kafkaTopicId, name);
    Integer known = topics.get(topic);
    if (known == null) {
      known = registry.topicId(kafkaTopicId, name);
      topics.put(topic, known);
    }
    return known;
  }

  /** The effects that this consumer owes. */
  public EffectJournal journal() {
    return journal;
  }

  /** Which offsets are done, for each partition. */
  public Progress progress() {
    return progress;
  }

  /**
   * Runs one transaction: begins, claims the messages in bulk, lets the work handle those that are
   * new, sends what was enqueued, writes the intents, commits.
   *
   * @return after the database has answered the commit
   * @throws Exception what the work threw, unchanged, after a rollback
   * @throws InboxStatementException if one of the inbox's own statements failed; rolled back,
   *     unless {@link InboxStatementException#outcomeUnknown()}
   * @throws EnqueuedWriteException if an enqueued write failed; rolled back
   * @throws TransactionFailedException if the work returned although PostgreSQL had failed the
   *     transaction; rolled back
   * @throws ForbiddenCallException if the work tried to end or bend the transaction, even if it
   *     swallowed the refusal; rolled back
   * @throws RequestMismatchException if an effect whose policy rejects that was asked for with
   *     another request; rolled back
   */
  public InboxRun run(List<InboxClaim> claims, InboxWork work) throws Exception {
    ClaimIndex index = new ClaimIndex(claims);
    Connection connection = Sql.connect(config.dataSource());
    boolean restore = false;
    try {
      restore = connection.getAutoCommit();
      Optional<InboxRun> nothingNew = probe.probe(connection, index);
      if (nothingNew.isPresent()) {
        work.handle(NothingFresh.BATCH);
        return nothingNew.get();
      }
      return run(connection, index, claims, work);
    } finally {
      giveBack(connection, restore);
    }
  }

  private InboxRun run(
      Connection connection, ClaimIndex index, List<InboxClaim> claims, InboxWork work)
      throws Exception {
    InboxSession session = new InboxSession(connection, config);
    IntentBuffer intents = new IntentBuffer(effects, config.codec(), consumer.namespace());
    TransactionScope scope = new TransactionScope(connection, session, handles, intents, once);
    try {
      BitSet fresh = session.beginAndClaim(consumer.id(), index);
      work.handle(new OpenBatch(scope, fresh));
      scope.end();
      if (scope.misuse() != null) {
        throw scope.misuse();
      }
      List<JournalEntry> owed = finish(session, scope, intents, claims);
      probe.saw(fresh);
      return new InboxRun(fresh, owed, session.timeline(), session.owesEffects());
    } catch (Throwable failure) {
      scope.end();
      if (isOutcomeUnknown(failure)) {
        log.warn(
            "Consumer {}: the connection was lost while the COMMIT of {} messages was under way; claiming"
                + " them again will tell whether it took effect",
            consumer.name(),
            claims.size());
        Sql.discard(connection, failure);
      } else {
        Sql.rollback(connection, failure);
      }
      throw failure;
    } finally {
      scope.writes.close();
    }
  }

  private List<JournalEntry> finish(
      InboxSession session, TransactionScope scope, IntentBuffer intents, List<InboxClaim> claims) {
    Phase phase = Phase.COMMIT;
    try {
      scope.flush();
      List<JournalEntry> owed = List.of();
      if (!intents.isEmpty()) {
        phase = Phase.INTENTS;
        session.takeBackTimeouts();
        owed = journal.insert(scope.raw, intents.all(), claims);
        phase = Phase.COMMIT;
      }
      session.commit(!intents.isEmpty());
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
          "Consumer {}: a connection is given up, because settings that a handler changed could not be put"
              + " back: {}",
          consumer.name(),
          SqlErrors.describe(e));
      Sql.discard(connection, e);
    }
  }

  private static boolean isOutcomeUnknown(Throwable failure) {
    return failure instanceof InboxStatementException statement && statement.outcomeUnknown();
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
}
