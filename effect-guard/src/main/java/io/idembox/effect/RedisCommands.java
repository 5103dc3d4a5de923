package io.idembox.effect;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Function;

/** The scripts' arguments for each command. */
final class RedisCommands {
  private static final byte[] YES = {'1'};
  private static final byte[] NO = {'0'};
  private static final byte CLAIMED_FROM_NOTHING = 'C';
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
    return RedisScript.FORGET;
  }

  /**
   * Everything after EVAL or EVALSHA.
   *
   * @param script its text or its SHA-1
   */
  CommandArgs<byte[], byte[]> args(StoreCommand command, String script) {
    EffectId id = command.id();
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE)
            .add(script)
            .add(2)
            .addKey(RedisKeys.record(id.hash()))
            .addKey(keys.apply(id.namespace()).index(id.hash()));
    if (command instanceof StoreCommand.Claim claim) {
      args.add(head(claim.earlierUnknown(), claim.attempt(), claim.token()))
          .add(claim.lease().toMillis())
          .add(claim.takeOver() ? YES : NO)
          .add(claim.earlierUnknown() ? YES : NO)
          .add(tail(claim));
    } else if (command instanceof StoreCommand.Settle settle) {
      end(args.add(head(false, 1, settle.token())), settle.token().mark(), settle.settlement());
    } else if (command instanceof StoreCommand.Release release) {
      args.add(release.token().raw());
    } else if (command instanceof StoreCommand.MarkInDoubt mark) {
      args.add(mark.token().raw());
    } else if (command instanceof StoreCommand.Renew renew) {
      args.add(renew.token().raw()).add(renew.lease().toMillis());
    } else if (command instanceof StoreCommand.Resolve resolve) {
      end(args.add(NO), 0, resolve.settlement());
    }
    return args;
  }

  /** A record's bytes up to its token, as of a claim from nothing. */
  private static byte[] head(boolean doubtBefore, int attempts, EffectToken token) {
    byte[] head = new byte[6 + EffectToken.LENGTH];
    head[0] = RecordFormat.head(EffectRecord.State.CLAIMED);
    head[1] = (byte) (doubtBefore ? RecordFormat.FLAG_DOUBT_BEFORE : 0);
    int most = Math.min(attempts, 0xffff);
    head[4] = (byte) (most >> 8);
    head[5] = (byte) most;
    System.arraycopy(token.raw(), 0, head, 6, EffectToken.LENGTH);
    return head;
  }

  /** A record's bytes from its fingerprint on. */
  private static byte[] tail(StoreCommand.Claim claim) {
    byte[] owner = RecordFormat.owner(claim.owner());
    byte[] key = claim.key().raw();
    return ByteBuffer.allocate(5 + owner.length + key.length)
        .putInt(claim.fingerprint())
        .put((byte) owner.length)
        .put(owner)
        .put(key)
        .array();
  }

  private static void end(CommandArgs<byte[], byte[]> args, int mark, Settlement end) {
    byte head =
        RecordFormat.head(end.done() ? EffectRecord.State.DONE : EffectRecord.State.REJECTED);
    byte flags = (byte) (end.receiptKept() ? 0 : RecordFormat.FLAG_RECEIPT_NOT_KEPT);
    byte[] payload = end.payload();
    args.add(new byte[] {head, flags})
        .add(
            ByteBuffer.allocate(8 + payload.length)
                .putInt(mark)
                .putInt(end.fingerprint())
                .put(payload)
                .array())
        .add(end.retention().toMillis());
  }

  /** Reads the answer to a command. */
  static StoreReply parse(StoreCommand command, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes[0] == CLAIMED_FROM_NOTHING && command instanceof StoreCommand.Claim claim) {
      long since = RecordFormat.millis(in, 15);
      EffectRecord record =
          EffectRecord.unsettled(
              EffectRecord.State.CLAIMED,
              claim.earlierUnknown(),
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
    EffectRecord record =
        bytes.length == HEADER
            ? null
            : EffectRecord.decode(Arrays.copyOfRange(bytes, HEADER, bytes.length));
    return new StoreReply(
        StoreReply.Code.of(bytes[0]), Instant.ofEpochMilli(RecordFormat.millis(in, 1)), record);
  }
}
