package io.idembox.effect;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps about one effect. Immutable.
 *
 * <p>Fields that a state does not have are empty, zero or {@link Instant#EPOCH}.
 */
public final class EffectRecord {
  /** Where an effect stands. */
  public enum State {
    /** Somebody runs it, or died doing so: the lease tells which. */
    CLAIMED,
    /** An attempt's outcome is unknown. */
    IN_DOUBT,
    /** Finished, with a receipt kept or not. */
    DONE,
    /** Refused for good. */
    REJECTED,
    /** Not done; the record is there only for the generation that {@code forget} raised. */
    FREE,
    /** Damaged, or of a newer format. */
    UNREADABLE
  }

  static final EffectToken NO_TOKEN = EffectToken.ofBytes(new byte[EffectToken.LENGTH]);
  static final byte[] NO_BYTES = {};

  final State state;
  final boolean doubtBefore;
  final boolean indexed;
  final boolean receiptKept;
  final int generation;
  final int attempts;
  final EffectToken token;
  final int mark;
  final long fence;
  final long untilMillis;
  final long sinceMillis;
  final int fingerprint;
  final String owner;
  final byte[] key;
  final byte[] payload;

  private EffectRecord(
      State state,
      boolean doubtBefore,
      boolean indexed,
      boolean receiptKept,
      int generation,
      int attempts,
      EffectToken token,
      int mark,
      long fence,
      long untilMillis,
      long sinceMillis,
      int fingerprint,
      String owner,
      byte[] key,
      byte[] payload) {
    this.state = state;
    this.doubtBefore = doubtBefore;
    this.indexed = indexed;
    this.receiptKept = receiptKept;
    this.generation = generation;
    this.attempts = attempts;
    this.token = token;
    this.mark = mark;
    this.fence = fence;
    this.untilMillis = untilMillis;
    this.sinceMillis = sinceMillis;
    this.fingerprint = fingerprint;
    this.owner = owner;
    this.key = key;
    this.payload = payload;
  }

  static EffectRecord unsettled(
      State state,
      boolean doubtBefore,
      boolean indexed,
      int generation,
      int attempts,
      EffectToken token,
      long fence,
      long untilMillis,
      long sinceMillis,
      int fingerprint,
      String owner,
      byte[] key) {
    return new EffectRecord(
        state,
        doubtBefore,
        indexed,
        false,
        generation,
        attempts,
        token,
        token.mark(),
        fence,
        untilMillis,
        sinceMillis,
        fingerprint,
        owner,
        key,
        NO_BYTES);
  }

  static EffectRecord settled(
      State state,
      boolean receiptKept,
      int generation,
      int mark,
      long atMillis,
      int fingerprint,
      byte[] payload) {
    return new EffectRecord(
        state,
        false,
        false,
        receiptKept,
        generation,
        0,
        NO_TOKEN,
        mark,
        0,
        0,
        atMillis,
        fingerprint,
        "",
        NO_BYTES,
        payload);
  }

  static EffectRecord free(int generation) {
    return settled(State.FREE, false, generation, 0, 0, 0, NO_BYTES);
  }

  static EffectRecord unreadable(byte[] stored) {
    return settled(State.UNREADABLE, false, 0, 0, 0, 0, stored);
  }

  /** Reads a record; never fails: what cannot be read is {@link State#UNREADABLE}. */
  public static EffectRecord decode(byte[] stored) {
    return RecordFormat.decode(stored);
  }

  /** The stored form. */
  public byte[] encode() {
    return RecordFormat.encode(this);
  }

  public State state() {
    return state;
  }

  /** How often the key was forgotten. */
  public int generation() {
    return generation;
  }

  /** Runs since the key was last free, the present one included; only while unsettled. */
  public int attempts() {
    return attempts;
  }

  /** Whether an attempt before the present claim is of unknown outcome. */
  public boolean earlierAttemptUnknown() {
    return doubtBefore || state == State.IN_DOUBT;
  }

  /** The holder's label; only while unsettled. */
  public String owner() {
    return owner;
  }

  /** When the claim's lease ends or ended, by the store's clock; only while unsettled. */
  public Instant leaseUntil() {
    return Instant.ofEpochMilli(untilMillis);
  }

  /** Since when it is claimed, in doubt, done or rejected; settled ones to the second. */
  public Instant since() {
    return Instant.ofEpochMilli(sinceMillis);
  }

  /** The fingerprint of the first request; 0 if there is none. */
  public int fingerprint() {
    return fingerprint;
  }

  public boolean receiptKept() {
    return receiptKept;
  }

  /** The encoded receipt of a done effect; empty if not kept. A copy. */
  public byte[] receipt() {
    return state == State.DONE ? payload.clone() : NO_BYTES;
  }

  /** Why a rejected effect was refused. */
  public String reason() {
    return state == State.REJECTED ? new String(payload, StandardCharsets.UTF_8) : "";
  }

  /** The business key; only while unsettled, and empty if it is damaged or of a newer form. */
  public Optional<EffectKey> key() {
    if (key.length == 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(EffectKey.fromCanonical(key));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  boolean settled() {
    return state == State.DONE || state == State.REJECTED;
  }

  boolean unsettled() {
    return state == State.CLAIMED || state == State.IN_DOUBT;
  }

  boolean carries(EffectToken other) {
    return unsettled() && token.equals(other);
  }

  /** This claim or doubt, changed. */
  EffectRecord with(State newState, boolean newIndexed, long newUntil, long newSince) {
    return unsettled(
        newState,
        doubtBefore,
        newIndexed,
        generation,
        attempts,
        token,
        fence,
        newUntil,
        newSince,
        fingerprint,
        owner,
        key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this
        || (other instanceof EffectRecord record
            && java.util.Arrays.equals(encode(), record.encode()));
  }

  @Override
  public int hashCode() {
    return java.util.Arrays.hashCode(encode());
  }

  @Override
  public String toString() {
    return "%s generation %d attempts %d since %s".formatted(state, generation, attempts, since());
  }
}
