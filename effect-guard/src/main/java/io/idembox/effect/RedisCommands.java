package io.idembox.effect;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Function;

/** The scripts' arguments for each command. */
final class RedisCommands {
  private static final byte[] NO = {'0'};
  private static final int HEADER = 7;

  private final Function<String, RedisKeys> keys;

  RedisCommands(Function<String, RedisKeys> keys) {
    this.keys = keys;
  }

  static RedisScript script(StoreCommand command) {
    if (command instanceof StoreCommand.Claim) {
      return RedisScript.CLAIM;
    } else if (command instanceof StoreCommand.Settle) {
      return RedisScript.SETTLE;
    } else if (command instanceof StoreCommand.Release) {
      return RedisScript.RELEASE;
    } else if (command instanceof StoreCommand.MarkInDoubt) {
      return RedisScript.MARK_IN_DOUBT;
    } else if (command instanceof StoreCommand.Renew) {
      return RedisScript.RENEW;
    } else if (command instanceof StoreCommand.Resolve) {
      return RedisScript.RESOLVE;
    } else if (command instanceof StoreCommand.ResolveNotDone) {
      return RedisScript.RESOLVE_NOT_DONE;
    }
    return command instanceof StoreCommand.EndLease ? RedisScript.END_LEASE : RedisScript.FORGET;
  }

  /**
   * Everything after EVAL or EVALSHA.
   *
   * @param script its text or its SHA-1, as {@link EvalArgs#argument} gives it
   * @param nowMillis the server's clock as the store knows it, for the second at which an effect
   *     ended
   */
  EvalArgs args(StoreCommand command, byte[] script, long nowMillis) {
    EffectId id = command.id();
    byte[] key = RedisKeys.record(id.hash());
    byte[] index = keys.apply(id.namespace()).index(id.hash());
    if (command instanceof StoreCommand.Claim claim) {
      byte[] lease = EvalArgs.number(claim.lease().toMillis());
      return claim.takeOver()
          ? EvalArgs.of(script, key, index, fromNothing(claim), lease)
          : EvalArgs.of(script, key, index, fromNothing(claim), lease, NO);
    } else if (command instanceof StoreCommand.Settle settle) {
      Settlement end = settle.settlement();
      return EvalArgs.of(
          script,
          key,
          index,
          firstRun(settle.token()),
          settled(settle.token().mark(), end, nowMillis),
          EvalArgs.number(end.retention().toMillis()));
    } else if (command instanceof StoreCommand.Release release) {
      return EvalArgs.of(script, key, index, release.token().raw());
    } else if (command instanceof StoreCommand.MarkInDoubt mark) {
      return EvalArgs.of(script, key, index, mark.token().raw());
    } else if (command instanceof StoreCommand.Renew renew) {
      byte[] lease = EvalArgs.number(renew.lease().toMillis());
      return EvalArgs.of(script, key, index, renew.token().raw(), lease);
    } else if (command instanceof StoreCommand.Resolve resolve) {
      Settlement end = resolve.settlement();
      return EvalArgs.of(
          script,
          key,
          index,
          NO,
          settled(0, end, nowMillis),
          EvalArgs.number(end.retention().toMillis()));
    }
    return EvalArgs.of(script, key, index);
  }

  /** A claimed record from its flags on, as it is if nothing was there before. */
  static byte[] fromNothing(StoreCommand.Claim claim) {
    byte[] owner = RecordFormat.owner(claim.owner());
    byte[] key = claim.key().raw();
    return ByteBuffer.allocate(10 + EffectToken.LENGTH + owner.length + key.length)
        .put((byte) (claim.earlierUnknown() ? RecordFormat.FLAG_DOUBT_BEFORE : 0))
        .putShort((short) 0)
        .putShort((short) Math.min(claim.attempt(), 0xffff))
        .put(claim.token().raw())
        .putInt(claim.fingerprint())
        .put((byte) owner.length)
        .put(owner)
        .put(key)
        .array();
  }

  /** A claimed record from its flags to its token, as nearly all are when they end. */
  static byte[] firstRun(EffectToken token) {
    return ByteBuffer.allocate(5 + EffectToken.LENGTH)
        .putShort(3, (short) 1)
        .position(5)
        .put(token.raw())
        .array();
  }

  /** A settled record, as it is if the key was never forgotten. */
  static byte[] settled(int mark, Settlement end, long nowMillis) {
    byte[] payload = end.payload();
    return ByteBuffer.allocate(14 + payload.length)
        .put(RecordFormat.head(end.done() ? EffectRecord.State.DONE : EffectRecord.State.REJECTED))
        .put((byte) (end.receiptKept() ? 0 : RecordFormat.FLAG_RECEIPT_NOT_KEPT))
        .putInt((int) (nowMillis / 1000))
        .putInt(mark)
        .putInt(end.fingerprint())
        .put(payload)
        .array();
  }

  /**
   * Reads the answer to a command.
   *
   * @param nowMillis the server's clock as the store knows it, for an answer that does not tell it
   */
  static StoreReply parse(StoreCommand command, byte[] bytes, long nowMillis) {
    if (bytes.length == 1) {
      return new StoreReply(StoreReply.Code.of(bytes[0]), Instant.ofEpochMilli(nowMillis), null);
    }
    if (bytes[0] == RecordFormat.head(EffectRecord.State.CLAIMED)
        && command instanceof StoreCommand.Claim claim) {
      return claimed(claim, bytes);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    EffectRecord record =
        bytes.length == HEADER
            ? null
            : EffectRecord.decode(Arrays.copyOfRange(bytes, HEADER, bytes.length));
    return new StoreReply(
        StoreReply.Code.of(bytes[0]), Instant.ofEpochMilli(RecordFormat.millis(in, 1)), record);
  }

  /**
   * The reply to a claim of a key that nothing was known of.
   *
   * @param bytes begin with the part of the record with times in it
   */
  static StoreReply claimed(StoreCommand.Claim claim, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    long since = RecordFormat.millis(in, 15);
    EffectRecord record =
        EffectRecord.unsettled(
            EffectRecord.State.CLAIMED,
            claim.earlierUnknown(),
            false,
            0,
            Math.min(claim.attempt(), 0xffff),
            claim.token(),
            in.getLong(1),
            RecordFormat.millis(in, 9),
            since,
            claim.fingerprint(),
            claim.owner(),
            claim.key().raw());
    return new StoreReply(StoreReply.Code.OK, Instant.ofEpochMilli(since), record);
  }
}
