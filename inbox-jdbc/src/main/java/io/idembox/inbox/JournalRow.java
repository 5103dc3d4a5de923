package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectKey;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An effect as it stands in the journal, for people to look at.
 *
 * @param effect finds the code
 * @param attempts that were started
 * @param earlierAttemptUnknown one of them may have happened
 * @param owner holds its mark; null when nobody does
 * @param dueAt next attempt, or end of the lease; null when nothing is owed
 * @param settledAt null while it is owed
 * @param request as encoded; null once it is done
 * @param receipt as encoded; null when there is none, or it was not kept
 * @param origin the message that asked first
 * @param waitsFor the effect that stands before it in the queue of its record key and is not
 *     finished; null when none does, or it runs in no order
 * @param retention how long it is remembered once it is finished
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record JournalRow(
    long id,
    String effect,
    EffectKey key,
    EffectState state,
    int attempts,
    boolean earlierAttemptUnknown,
    @Nullable String owner,
    @Nullable Instant dueAt,
    Instant createdAt,
    @Nullable Instant settledAt,
    byte @Nullable [] request,
    byte @Nullable [] receipt,
    @Nullable String lastError,
    EffectJournal.Origin origin,
    @Nullable EffectKey waitsFor,
    Duration retention) {
  /** Those that are not null by nature are required. */
  public JournalRow {
    requireNonNull(effect, "effect");
    requireNonNull(key, "key");
    requireNonNull(state, "state");
    requireNonNull(createdAt, "createdAt");
    requireNonNull(origin, "origin");
    requireNonNull(retention, "retention");
  }
}
