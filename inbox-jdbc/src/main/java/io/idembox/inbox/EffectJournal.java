package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The durable list of effects that handlers asked for and that are owed until they are settled.
 * Whoever performs one holds its STARTED mark; every change compares state, owner and attempt.
 * Thread-safe.
 *
 * <p>Each method is one transaction of its own. All throw {@link InboxStatementException} with
 * phase JOURNAL when a statement failed, and InboxUnavailableException-like phase CONNECT when no
 * connection was to be had; nothing was changed then, unless the connection was lost.
 */
public interface EffectJournal {

  /**
   * An effect that is this member's to perform.
   *
   * @param id of the row
   * @param effect finds the code
   * @param request as encoded when it was asked for
   * @param attempt this run's number, the first being 1
   * @param earlierAttemptUnknown an earlier attempt may have happened: treat an absent guard record
   *     as in doubt
   * @param owner of the mark
   * @param started false for effects that are held or asked about when their outcome is unknown:
   *     mark them with {@link #markStarted} right before they run, so that a crash before that
   *     holds nothing
   * @param origin the message that asked first
   * @param turn its place among the effects that run one after the other; null when it has none.
   *     {@link #markStarted} refuses one whose turn it is not
   * @param flight what was inserted together with it; null when it was found in the journal
   */
  @SuppressWarnings(
      "ArrayRecordComponent") // Compared by nobody; a list of millions needs no copies.
  record JournalEntry(
      long id,
      String effect,
      EffectKey key,
      byte[] request,
      int attempt,
      boolean earlierAttemptUnknown,
      String owner,
      boolean started,
      Origin origin,
      @Nullable Turn turn,
      @Nullable Flight flight) {
    /** All parts are required. */
    public JournalEntry {
      requireNonNull(effect, "effect");
      requireNonNull(key, "key");
      requireNonNull(request, "request");
      requireNonNull(owner, "owner");
      requireNonNull(origin, "origin");
    }

    JournalEntry asStarted() {
      return new JournalEntry(
          id,
          effect,
          key,
          request,
          attempt,
          earlierAttemptUnknown,
          owner,
          true,
          origin,
          turn,
          flight);
    }
  }

  /**
   * The effects that one transaction of this member inserted, as far as they are not settled. The
   * database keeps one row for all of them, by which they are found if the member dies; it goes
   * with the settlement of the last. Nothing in it is for callers.
   */
  final class Flight {
    /** More than there ever are: no settlement is the last. */
    private static final int FOR_EVER = Integer.MAX_VALUE / 2;

    private final long firstId;
    private final AtomicInteger owed;

    Flight(long firstId, int effects) {
      this.firstId = firstId;
      this.owed = new AtomicInteger(effects);
    }

    /** The key of its row. */
    long firstId() {
      return firstId;
    }

    /** Whether it ends when so many more are settled. */
    boolean endsWith(int settled) {
      return owed.get() == settled;
    }

    void settled(int effects) {
      owed.addAndGet(-effects);
    }

    /**
     * Some of it was not settled, or nobody knows: its row stays until its lease has ended, for
     * whoever looks then.
     */
    void left() {
      owed.set(FOR_EVER);
    }
  }

  /**
   * Where an effect stands among those of one record key, which run one after the other. It starts
   * when all before it have happened, were refused, or were given up (FAILED, like a record in the
   * dead letters); one that waits for an attempt, or is held for a person, holds up those behind
   * it. The database decides that at the moment of the start, whoever holds the others.
   *
   * @param queue the record key, hashed: two keys of one hash wait for each other without need
   * @param place grows in the order in which effects were asked for
   */
  record Turn(long queue, long place) {}

  /** The record that asked for an effect. */
  record Origin(UUID messageId, int topicId, int partition, long offset) {
    /** The id is required. */
    public Origin {
      requireNonNull(messageId, "messageId");
    }
  }

  /**
   * Marks, for this member, what duplicates left unfinished: pending and due, or started by a
   * member whose lease ended. Of effects that run in turn, those whose turn it is.
   *
   * @param lease until when others leave the rows alone
   */
  List<JournalEntry> takeUnfinishedOf(Collection<UUID> messageIds, Duration lease);

  /**
   * The same for whatever is due in the namespace, oldest first; rows that others work on are
   * passed over.
   */
  List<JournalEntry> takeDue(int limit, Duration lease);

  /**
   * Marks entries that were handed out unstarted.
   *
   * @return those that are this member's to run, in the order given; the others were taken by
   *     somebody else, or it is not their turn
   */
  List<JournalEntry> markStarted(Collection<JournalEntry> entries, Duration lease);

  /**
   * Writes how runs ended, in one statement.
   *
   * @return how many were written; fewer than given when a mark had been taken over meanwhile
   */
  int settle(List<Settlement> settlements);

  /**
   * Moves the lease end of running entries, in one statement.
   *
   * @return how many are still this member's
   */
  int renew(Collection<JournalEntry> running, Duration lease);

  /**
   * Puts entries back that did not run (revocation, shutdown): due at once, attempt not used up.
   */
  void giveBack(Collection<JournalEntry> unstarted);

  /** Effects of this namespace that are owed: pending, started, in doubt. */
  long unfinished();

  /** How one run ended. Immutable. */
  final class Settlement {
    private final JournalEntry entry;
    private final Result result;
    private final byte @Nullable [] receipt;
    private final @Nullable String text;
    private final Duration delay;

    /** The states that a run can leave. */
    public enum Result {
      /** It happened. */
      DONE,
      /** Refused for good by the provider. */
      REJECTED,
      /** It did not happen; to be tried again. */
      RETRY_AT,
      /** It was not tried, through no fault of its own; to be tried later, no attempt used up. */
      POSTPONED,
      /** Nobody knows; to be tried or asked again. */
      IN_DOUBT,
      /** Waits for a person. */
      HELD,
      /** Did not happen, attempts used up; waits for a person or a new request. */
      FAILED
    }

    private Settlement(
        JournalEntry entry,
        Result result,
        byte @Nullable [] receipt,
        @Nullable String text,
        Duration delay) {
      this.entry = requireNonNull(entry, "entry");
      this.result = result;
      this.receipt = receipt;
      this.text = text;
      this.delay = requireNonNull(delay, "delay");
      if (delay.isNegative()) {
        throw new IllegalArgumentException("A delay of " + delay + " lies in the past");
      }
    }

    /**
     * It happened.
     *
     * @param receipt encoded; null when it was not kept
     */
    public static Settlement done(JournalEntry entry, byte @Nullable [] receipt) {
      return new Settlement(entry, Result.DONE, receipt, null, Duration.ZERO);
    }

    /** Refused for good. */
    public static Settlement rejected(JournalEntry entry, String reason) {
      return new Settlement(entry, Result.REJECTED, null, reason, Duration.ZERO);
    }

    /** It did not happen; due again after the delay. */
    public static Settlement retryAt(JournalEntry entry, Duration delay, String error) {
      return new Settlement(entry, Result.RETRY_AT, null, error, delay);
    }

    /**
     * It was not tried, since another holds its key, or its provider or the guard's store is away;
     * due again after the delay, with the same attempt. For an entry that was not marked too.
     */
    public static Settlement postponed(JournalEntry entry, Duration delay, String reason) {
      return new Settlement(entry, Result.POSTPONED, null, reason, delay);
    }

    /** Nobody knows; due again after the delay. */
    public static Settlement inDoubt(JournalEntry entry, Duration delay, String error) {
      return new Settlement(entry, Result.IN_DOUBT, null, error, delay);
    }

    /** Waits for a person. */
    public static Settlement held(JournalEntry entry, String reason) {
      return new Settlement(entry, Result.HELD, null, reason, Duration.ZERO);
    }

    /** Attempts used up. */
    public static Settlement failed(JournalEntry entry, String error) {
      return new Settlement(entry, Result.FAILED, null, error, Duration.ZERO);
    }

    /** The entry that ran. */
    public JournalEntry entry() {
      return entry;
    }

    /** How it ended. */
    public Result result() {
      return result;
    }

    byte @Nullable [] receipt() {
      return receipt;
    }

    @Nullable String text() {
      return text;
    }

    Duration delay() {
      return delay;
    }
  }
}
