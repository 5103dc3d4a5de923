package io.idembox.runtime;

import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.InboxRun;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.MessageIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one batch from its identities to its settled effects: one transaction for the inbox rows
 * and the handlers' writes, then the effects that these asked for.
 */
final class BatchRunner {
  private static final Logger log = LoggerFactory.getLogger(BatchRunner.class);

  private final ConsumerInbox inbox;
  private final MessageIdResolver ids;
  private final Routes routes;
  private final EffectRunner effects;
  private final RunListener listener;
  private final ConsumerMetrics metrics;
  private final ProcessSpans spans;
  private final TransactionTimeouts timeouts;
  private final FailedRecords records;
  private final LetterRetries letters;
  private final HandlerHealth health;

  /**
   * What came of a batch.
   *
   * @param covered how many of its records, from the first, are committed or were known before
   * @param took how long the transaction took
   */
  record Ran(int covered, Duration took) {}

  BatchRunner(
      ConsumerInbox inbox,
      MessageIdResolver ids,
      Routes routes,
      EffectRunner effects,
      RunListener listener,
      ConsumerMetrics metrics,
      ProcessSpans spans,
      TransactionTimeouts timeouts,
      FailedRecords records,
      LetterRetries letters,
      HandlerHealth health) {
    this.inbox = inbox;
    this.ids = ids;
    this.routes = routes;
    this.effects = effects;
    this.listener = listener;
    this.metrics = metrics;
    this.spans = spans;
    this.timeouts = timeouts;
    this.records = records;
    this.letters = letters;
    this.health = health;
  }

  /**
   * Runs the batch, or as much of it as fits. When this returns, each record covered is committed
   * or was known before, and each of their effects is settled or owed by the journal.
   *
   * @throws RecordFailedException if one known record is to blame; the transaction is rolled back
   * @throws AssignmentEndedException if the assignment ended meanwhile; the transaction is rolled
   *     back
   * @throws Exception if a statement failed; the transaction is rolled back, or its outcome is not
   *     known and the next run finds out
   */
  Ran run(Batch taken) throws Exception {
    List<MessageIdentity.Known> identities = identify(taken.records());
    List<InboxClaim> taking = claims(taken.records(), identities);
    if (taken.careful()) {
      beginsCarefully(taken, taking);
    }
    Inheritance inheritance = Inheritance.of(inbox, taken.records(), taking);
    List<FetchedRecord> batch = taken.records().subList(0, inheritance.alike());
    List<InboxClaim> claims = taking.subList(0, inheritance.alike());
    AtomicReference<OpenMessages> opened = new AtomicReference<>();
    BatchEnd end = new BatchEnd(taken.work(), timeouts.closes());
    InboxRun run;
    try {
      run =
          inbox.run(
              claims,
              inheritance.doneBefore(),
              open -> {
                OpenMessages messages =
                    new OpenMessages(batch, identities, routes, open, spans, end);
                opened.set(messages);
                messages.handleAll();
                if (taken.work().hasEnded()) {
                  throw new AssignmentEndedException(taken.work().partition());
                }
              });
    } catch (Exception e) {
      throw explained(e, opened.get(), end.elapsed());
    }
    Duration took = end.elapsed();
    List<FetchedRecord> covered = batch.subList(0, run.covered());
    report(covered, identities, run, opened.get(), took);
    effects.run(run.intents(), taken.work()::isOpen);
    List<Integer> duplicates = LetterRetries.duplicates(run);
    if (taken.careful() && !duplicates.isEmpty()) {
      records.neverBegan(claims.get(0).messageId());
    }
    if (run.owesEffects()) {
      effects.runUnfinishedOf(
          duplicates.stream().map(i -> claims.get(i).messageId()).toList(), taken.work()::isOpen);
    }
    if (run.openLetters() && !duplicates.isEmpty()) {
      letters.ofCopies(taken, claims, duplicates);
    }
    return new Ran(run.covered(), took);
  }

  private void beginsCarefully(Batch taken, List<InboxClaim> claims) {
    try {
      records.begins(taken.first(), claims.get(0).messageId());
    } catch (ProcessEndedException e) {
      throw new RecordFailedException(0, e);
    }
  }

  /** A transaction that our own time-out ended says so, and names the record that took so long. */
  private Exception explained(
      Exception failure, @Nullable OpenMessages messages, Duration elapsed) {
    if (messages == null
        || elapsed.compareTo(timeouts.idle()) < 0
        || !FailureClassifier.isIdleInTransaction(failure)) {
      return failure;
    }
    TransactionTimedOutException timedOut =
        new TransactionTimedOutException(elapsed, timeouts.idle(), failure);
    OptionalInt suspect = messages.suspect();
    return suspect.isPresent()
        ? new RecordFailedException(suspect.getAsInt(), timedOut)
        : new BatchHandlerFailedException(timedOut);
  }

  private List<MessageIdentity.Known> identify(List<FetchedRecord> batch) {
    List<MessageIdentity.Known> identities = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      MessageIdentity identity = ids.resolve(batch.get(i));
      if (identity instanceof MessageIdentity.Known known) {
        identities.add(known);
      } else {
        String reason = ((MessageIdentity.Unusable) identity).reason();
        throw new RecordFailedException(
            i, new UnusableMessageIdException(Coordinates.of(batch.get(i).record()), reason));
      }
    }
    return identities;
  }

  private List<InboxClaim> claims(
      List<FetchedRecord> batch, List<MessageIdentity.Known> identities) {
    FetchedRecord first = batch.get(0);
    int topic = inbox.topicId(first.topicId(), first.topic());
    boolean inTurn = routes.runsEffectsInTurn(first.topic());
    List<InboxClaim> claims = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      FetchedRecord fetched = batch.get(i);
      InboxClaim claim =
          new InboxClaim(identities.get(i).id(), topic, fetched.partition(), fetched.offset());
      claims.add(inTurn ? claim.inTurnOf(fetched.key()) : claim);
    }
    return claims;
  }

  private void report(
      List<FetchedRecord> batch,
      List<MessageIdentity.Known> identities,
      InboxRun run,
      @Nullable OpenMessages handled,
      Duration took) {
    FetchedRecord first = batch.get(0);
    int skipped = batch.size() - run.fresh().cardinality();
    if (skipped > 0) {
      logSkips(batch, identities, run, skipped);
    }
    BatchReport report =
        new BatchReport(
            first.topic(),
            first.partition(),
            first.offset(),
            batch.get(batch.size() - 1).offset(),
            batch.size(),
            handled == null ? 0 : handled.handled(),
            handled == null ? 0 : handled.ignored(),
            skipped);
    metrics.committed(report, took);
    if (report.handled() > 0) {
      health.succeeded();
    }
    try {
      listener.onBatch(report);
    } catch (Throwable e) {
      // An Error too: the batch is committed, and must not look as if it had failed.
      log.warn("The run listener failed on {}: {}", report, Causes.summary(e));
    }
  }

  private static void logSkips(
      List<FetchedRecord> batch,
      List<MessageIdentity.Known> identities,
      InboxRun run,
      int skipped) {
    int first = run.fresh().nextClearBit(0);
    String at = Coordinates.of(batch.get(first).record());
    if (skipped == 1) {
      log.info("{}: skipped, id {} was recorded before", at, identities.get(first).id());
    } else {
      log.info("{} and {} records behind it: skipped, recorded before", at, skipped - 1);
    }
  }
}
