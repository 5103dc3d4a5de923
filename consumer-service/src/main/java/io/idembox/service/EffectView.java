package io.idembox.service;

import io.idembox.effect.EffectRecord;
import io.idembox.inbox.JournalRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An effect in an answer.
 *
 * @param effect its name, null where only the guard knows the key
 * @param state in the journal, or in the guard if the journal does not have it
 * @param guard how the guard has it; null where it was not asked, or knows nothing
 * @param lastError why it was put off or ended, or what it waits for
 * @param receipt of a finished effect, as it is stored
 */
record EffectView(
    @Nullable String effect,
    KeyView key,
    String state,
    int attempts,
    boolean earlierAttemptUnknown,
    @Nullable String owner,
    @Nullable Instant dueAt,
    @Nullable Instant createdAt,
    @Nullable Instant settledAt,
    @Nullable String lastError,
    @Nullable String messageId,
    @Nullable Guarded guard,
    @Nullable Bytes receipt) {

  /** The guard's record. */
  record Guarded(String state, int generation, int attempts, String owner, Instant since) {
    static Guarded of(EffectRecord record) {
      return new Guarded(
          ValueType.name(record.state()),
          record.generation(),
          record.attempts(),
          record.owner(),
          record.since());
    }
  }

  static EffectView of(JournalRow row, @Nullable EffectRecord record, boolean withReceipt) {
    return new EffectView(
        row.effect(),
        KeyView.of(row.key()),
        ValueType.name(row.state()),
        row.attempts(),
        row.earlierAttemptUnknown(),
        row.owner(),
        row.dueAt(),
        row.createdAt(),
        row.settledAt(),
        row.waitsFor() == null
            ? row.lastError()
            : "waits for " + row.waitsFor() + ", asked for earlier under its record key",
        row.origin().messageId().toString(),
        record == null ? null : Guarded.of(record),
        withReceipt ? Bytes.of(row.receipt()) : null);
  }

  static EffectView of(KeyView key, EffectRecord record, boolean withReceipt) {
    return new EffectView(
        null,
        key,
        ValueType.name(record.state()),
        record.attempts(),
        record.earlierAttemptUnknown(),
        record.owner(),
        null,
        null,
        null,
        record.reason().isEmpty() ? null : record.reason(),
        null,
        Guarded.of(record),
        withReceipt ? Bytes.of(record.receipt()) : null);
  }
}
