package io.idembox.runtime;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectStoreException;
import io.idembox.inbox.EffectHeldException;
import io.idembox.inbox.InboxStatementException;
import io.idembox.inbox.RecordedLetter;
import io.idembox.inbox.RecordedLetter.Recorded;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a failed batch means: split it, pause before the next attempt, or give its record
 * up; and says so.
 */
final class FailurePolicy {
  private static final Logger log = LoggerFactory.getLogger(FailurePolicy.class);
  private static final int WORTH_A_LINE = 8;
  private static final int OUTAGES_OF_ITS_OWN = 10;
  private static final Backoff MOMENT = new Backoff(Duration.ofMillis(20), Duration.ofMillis(500));

  private final FailureClassifier classifier;
  private final Retries retries;
  private final FailedRecords records;
  private final HandlerHealth health;
  private final ConsumerMetrics metrics;

  FailurePolicy(
      FailureClassifier classifier,
      Retries retries,
      FailedRecords records,
      HandlerHealth health,
      ConsumerMetrics metrics) {
    this.classifier = classifier;
    this.retries = retries;
    this.records = records;
    this.health = health;
    this.metrics = metrics;
  }

  /** Puts the batch's lanes into a state in which they can go on, and says when. */
  AfterFailure judge(Batch batch, Throwable failure) {
    FailureClass blamed = classifier.classify(failure);
    if (blamed == FailureClass.INFRASTRUCTURE && isItsOwn(batch, failure)) {
      blamed = FailureClass.TRANSIENT;
    }
    metrics.failed(blamed);
    return switch (blamed) {
      case INFRASTRUCTURE -> outage(batch, failure);
      case CONTENTION -> moment(batch, failure);
      case CONFLICT -> {
        batch.work().split(batch);
        yield moment(batch, failure);
      }
      case TRANSIENT, PERMANENT, UNDECODABLE, HELD -> blame(batch, failure, blamed);
    };
  }

  /**
   * A record that alone meets a failing server again and again while others are handled is at fault
   * itself. Not where the guard's store failed: records without effects go on during its outage.
   */
  private boolean isItsOwn(Batch batch, Throwable failure) {
    if (batch.size() > 1 || Causes.has(failure, EffectStoreException.class)) {
      return false;
    }
    Lane.Outages outages = batch.work().outageOfOne(batch, health.successes());
    return outages.times() >= OUTAGES_OF_ITS_OWN && health.successes() > outages.successesBefore();
  }

  private static AfterFailure moment(Batch batch, Throwable failure) {
    String detail = detail(batch, failure);
    int failures = batch.work().fail(batch, Stall.Reason.CONTENTION, detail);
    // Everyday contention ends after a moment and is not worth a line; one that does not is, at
    // longer and longer intervals.
    if (failures >= WORTH_A_LINE && Integer.bitCount(failures) == 1) {
      log.warn("In another's way {} times in a row, goes on trying: {}", failures, detail);
    }
    return AfterFailure.pause(MOMENT.after(failures));
  }

  private AfterFailure outage(Batch batch, Throwable failure) {
    String detail = detail(batch, failure);
    if (batch.size() > 1 && Causes.has(failure, TransactionTimedOutException.class)) {
      // No server's fault: the batch was too much for one transaction.
      split(batch, failure);
      log.warn("Nothing was recorded, smaller batches follow at once: {}", detail);
      return AfterFailure.AT_ONCE;
    }
    Duration pause = retries.outage().after(batch.work().fail(batch, Stall.Reason.OUTAGE, detail));
    if (failure instanceof RecordFailedException known) {
      // A server that only this handler uses: what stands before the record need not wait for it.
      batch.work().splitAt(batch, known.index());
    }
    log.warn(
        "A server failed, nothing was recorded, next attempt in {} ms: {}",
        pause.toMillis(),
        detail);
    return AfterFailure.pause(pause);
  }

  private static void split(Batch batch, Throwable failure) {
    if (failure instanceof RecordFailedException known) {
      batch.work().splitAt(batch, known.index());
    } else {
      batch.work().split(batch);
    }
  }

  private AfterFailure blame(Batch batch, Throwable failure, FailureClass blamed) {
    if (batch.size() > 1) {
      split(batch, failure);
      return AfterFailure.AT_ONCE;
    }
    if (batch.work().hasEnded()) {
      // Another member has it, and judges for itself.
      return AfterFailure.AT_ONCE;
    }
    try {
      return switch (blamed) {
        case UNDECODABLE -> giveUp(batch, "cannot be read", failure, 0, null);
        case HELD -> {
          EffectKey key = heldBy(failure);
          yield giveUp(batch, "an effect waits for a person", failure, attempts(batch), key);
        }
        case PERMANENT -> permanent(batch, failure);
        default -> retry(batch, failure);
      };
    } catch (InboxStatementException e) {
      // What is to be written down waits for the database, and the record with it.
      return outage(batch, e);
    }
  }

  private AfterFailure permanent(Batch batch, Throwable failure) {
    boolean processEnded = Causes.has(failure, ProcessEndedException.class);
    String reason = processEnded ? "the process ended while it was handled" : "failed for good";
    // The note of the attempt that was not made any more is among them.
    int made = processEnded ? attempts(batch) - 1 : attempts(batch);
    AfterFailure after = giveUp(batch, reason, failure, made, null);
    health.gaveUp();
    return after;
  }

  private int attempts(Batch batch) {
    int noted = records.attempts(batch.first());
    return batch.careful() ? noted : noted + 1;
  }

  private static @Nullable EffectKey heldBy(Throwable failure) {
    for (Throwable t : Causes.of(failure)) {
      if (t instanceof EffectHeldException held) {
        return held.key();
      }
    }
    return null;
  }

  private AfterFailure retry(Batch batch, Throwable failure) {
    String detail = detail(batch, failure);
    int inARow = batch.work().fail(batch, Stall.Reason.RECORD_FAILING, detail);
    Duration pause = retries.record().after(inARow);
    // A careful attempt was noted before it was made.
    int attempts =
        batch.careful()
            ? records.attempts(batch.first())
            : records.attemptFailed(batch.first(), pause, Causes.summary(failure));
    if (attempts >= retries.mostAttempts()) {
      AfterFailure after = giveUp(batch, "failed " + attempts + " times", failure, attempts, null);
      health.gaveUp();
      return after;
    }
    metrics.retried(batch.first().topic());
    // The pause between two attempts bounds the rate of these lines.
    log.error(
        "Attempt {} failed, the record is kept and what is ordered behind it waits; next attempt in"
            + " {} ms: {}",
        attempts,
        pause.toMillis(),
        detail);
    log.debug("{}: the failure in full", batch.nameOf(0), failure);
    return AfterFailure.pause(pause);
  }

  private AfterFailure giveUp(
      Batch batch, String reason, Throwable failure, int attempts, @Nullable EffectKey heldBy) {
    FetchedRecord record = batch.first();
    RecordedLetter letter = records.giveUp(record, reason, failure, attempts, heldBy);
    if (letter instanceof Recorded recorded) {
      metrics.gaveUp(record.topic());
      log.error("Dead letter {} ({}): {}", recorded.id(), reason, detail(batch, failure));
    } else {
      log.info("{}: no dead letter, since it was recorded meanwhile", batch.nameOf(0));
    }
    return AfterFailure.GAVE_UP;
  }

  private static String detail(Batch batch, Throwable failure) {
    int known = failure instanceof RecordFailedException of ? of.index() : 0;
    return batch.nameOf(known) + ": " + Causes.summary(failure);
  }
}
