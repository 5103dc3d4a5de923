package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One member's view of a consumer's inbox. Thread-safe: each {@link #run} takes a connection of its
 * own from the data source and works on the calling thread.
 */
public final class ConsumerInbox {
  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final Registry registry;
  private final InboxRows rows;
  private final OnceCalls once;
  private final JdbcEffectJournal journal;
  private final JournalDecisions decisions;
  private final DuplicateProbe probe;
  private final JdbcProgress progress;
  private final Attempts attempts;
  private final InboxTransactions transactions;
  private final DeadLetters deadLetters;
  private final Predecessors predecessors;
  private final InheritedEffects inherited;
  private final LongAdder inheritedMessages = new LongAdder();
  private final Map<Topic, Integer> topics = new ConcurrentHashMap<>();

  private record Topic(UUID kafkaTopicId, String name) {}

  ConsumerInbox(
      InboxConfig config,
      RegisteredConsumer consumer,
      EffectCatalog effects,
      @Nullable EffectGuard guard) {
    this.config = config;
    this.consumer = requireNonNull(consumer, "consumer");
    requireNonNull(effects, "effects");
    UnsettledCommits unsettled = new UnsettledCommits(consumer.name(), config.metrics());
    OnceMemory completed = new OnceMemory();
    this.registry = new Registry(config.dataSource());
    this.rows = new InboxRows(config.dataSource(), consumer, config.metrics());
    this.predecessors = new Predecessors(consumer.rebuilds());
    this.inherited =
        new InheritedEffects(
            consumer, config.codec(), new FinishedEffects(consumer, config.codec()), guard);
    this.once = OnceCalls.toGuard(effects, guard, inherited);
    this.journal = new JdbcEffectJournal(config, consumer, effects, unsettled);
    this.decisions = new JournalDecisions(config, consumer, effects.names());
    this.probe = new DuplicateProbe(consumer.id());
    this.progress = new JdbcProgress(config.dataSource(), consumer.id());
    this.attempts = new Attempts(config.dataSource(), consumer.id());
    this.transactions =
        new InboxTransactions(
            config, consumer, effects, journal, completed, unsettled, predecessors, inherited);
    this.deadLetters = new DeadLetters(config, consumer, transactions, once, completed);
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

  /** What people see of the journal, and decide. */
  public JournalDecisions decisions() {
    return decisions;
  }

  /** Removes what may be forgotten, in slices. */
  public Pruner pruner(PrunePolicy policy) {
    return new Pruner(config, consumer, policy);
  }

  /** Records that were given up. */
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  /** How often records failed that are to be tried again. */
  public Attempts attempts() {
    return attempts;
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
    return run(claims, null, work);
  }

  /**
   * As the other, for a consumer that rebuilds another one's rows.
   *
   * @param doneBefore from {@link #doneBefore}: what these messages ask for counts as finished. The
   *     other method asks for it itself, without leader epochs
   */
  public InboxRun run(List<InboxClaim> claims, @Nullable BitSet doneBefore, InboxWork work)
      throws Exception {
    ClaimIndex index = new ClaimIndex(claims);
    InboxRun done =
        transactions.onConnection(
            connection -> {
              Optional<InboxRun> nothingNew = probe.probe(connection, index);
              if (nothingNew.isPresent()) {
                work.handle(NothingFresh.BATCH);
                return nothingNew.get();
              }
              InboxRun run =
                  transactions.run(
                      connection,
                      claims,
                      new ClaimOpening(consumer.id(), index),
                      once,
                      work,
                      (c, session, fresh) -> forgetAttempts(c, session, claims, fresh),
                      doneBefore);
              probe.saw(run.fresh());
              return run;
            });
    int fresh = done.fresh().cardinality();
    config.metrics().claimed(fresh, done.covered() - fresh);
    if (doneBefore != null) {
      BitSet both = (BitSet) done.fresh().clone();
      both.and(doneBefore);
      inheritedMessages.add(both.cardinality());
    }
    rows.sample(claims.subList(0, done.covered()), done.fresh());
    return done;
  }

  /** Whether this consumer builds another one's rows anew. */
  public boolean isRebuild() {
    return !predecessors.isEmpty();
  }

  /**
   * Which of these messages were done by the consumer whose rows this one builds anew: they have a
   * row there or lie inside of its done ranges, and are no open dead letters. None for a consumer
   * of its own.
   *
   * @param leaderEpochs one for each claim, -1 where unknown; a record of a later leader than the
   *     ranges know is not taken for done by them
   * @throws InboxStatementException if the database failed
   */
  public BitSet doneBefore(List<InboxClaim> claims, int[] leaderEpochs) {
    if (predecessors.isEmpty()) {
      return new BitSet(0);
    }
    return Sql.single(
        config.dataSource(),
        InboxStatementException.Phase.CLAIM,
        connection -> predecessors.done(connection, claims, leaderEpochs));
  }

  /**
   * How many such messages this member has handled through {@link #run(List, BitSet, InboxWork)}.
   */
  public long inheritedMessages() {
    return inheritedMessages.sum();
  }

  /** How many effects this member has written down as finished, because of {@link #doneBefore}. */
  public long inheritedEffects() {
    return inherited.written();
  }

  /**
   * The same, splitting the batch where the work fails, until the message at fault stands alone.
   * Order is kept: a message runs only after those before it are committed or given up.
   *
   * @param work sees a part of the batch at a time, under the indexes of the whole
   * @param onAlone decides about a message that fails alone, through a fault of its own
   * @return what the parts came to, together
   * @throws Exception what {@code onAlone} threw, or a failure of the work that is no message's
   *     fault: an outage of the database or of the guard's store, a lock or an effect that somebody
   *     else holds, a deadlock, a serialization failure. Run the same claims again after a pause;
   *     parts that are committed are duplicates then
   * @throws InboxStatementException if the database failed, which splitting does not help
   */
  public InboxRun runSplitting(List<InboxClaim> claims, InboxWork work, BatchFailure onAlone)
      throws Exception {
    return new SplittingRun(this, claims, work, onAlone).run();
  }

  /**
   * The rows of messages that were handled before, by id: for logs and for people.
   *
   * @throws InboxStatementException if the database failed
   */
  public Map<UUID, InboxRow> rowsOf(Collection<UUID> messageIds) {
    return rows.of(messageIds);
  }

  /**
   * Says that a member of this consumer is alive; to be called every 20 seconds or so. A consumer
   * of another name in the same group takes over the effect namespace only when this has not been
   * heard for a minute.
   *
   * @throws InboxStatementException if the database failed
   */
  public void heartbeat() {
    registry.heartbeat(consumer.id());
  }

  /** Attempts of records that succeed are deleted with them; as a rule there are none at all. */
  private void forgetAttempts(
      Connection connection, InboxSession session, List<InboxClaim> claims, BitSet fresh)
      throws SQLException {
    if (session.failedAttempts() && !fresh.isEmpty()) {
      session.takeBackTimeouts();
      Attempts.delete(
          connection,
          consumer.id(),
          fresh.stream().mapToObj(i -> claims.get(i).messageId()).toList());
    }
  }
}
