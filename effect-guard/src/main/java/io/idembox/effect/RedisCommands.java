package io.idembox.effect;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The scripts' arguments for each command. */
final class RedisCommands {
  private static final byte[] YES = {'1'};
  private static final byte[] NO = {'0'};

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
      byte[] owner = RecordFormat.owner(claim.owner());
      byte[] key = claim.key().canonical();
      args.add(claim.token().raw())
          .add(claim.lease().toMillis())
          .add(claim.attempt())
          .add(claim.takeOver() ? YES : NO)
          .add(claim.earlierUnknown() ? YES : NO)
          .add(number(claim.fingerprint()))
          .add(
              ByteBuffer.allocate(1 + owner.length + key.length)
                  .put((byte) owner.length)
                  .put(owner)
                  .put(key)
                  .array());
    } else if (command instanceof StoreCommand.Settle settle) {
      end(args.add(settle.token().raw()), settle.settlement());
    } else if (command instanceof StoreCommand.Release release) {
      args.add(release.token().raw());
    } else if (command instanceof StoreCommand.MarkInDoubt mark) {
      args.add(mark.token().raw());
    } else if (command instanceof StoreCommand.Renew renew) {
      args.add(renew.token().raw()).add(renew.lease().toMillis());
    } else if (command instanceof StoreCommand.Resolve resolve) {
      end(args, resolve.settlement());
    }
    return args;
  }

  private static void end(CommandArgs<byte[], byte[]> args, Settlement end) {
    byte head =
        RecordFormat.head(end.done() ? EffectRecord.State.DONE : EffectRecord.State.REJECTED);
    byte flags = (byte) (end.receiptKept() ? 0 : RecordFormat.FLAG_RECEIPT_NOT_KEPT);
    args.add(new byte[] {head, flags})
        .add(number(end.fingerprint()))
        .add(end.payload())
        .add(end.retention().toMillis());
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }
}
