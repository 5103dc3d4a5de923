package io.idembox.effect;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Commands that one script applies, each by itself and each only if it is the usual case: a claim
 * of a key that nothing is known of, the end of a first run that holds its key. The script says
 * which were none, and those are sent alone.
 */
final class BulkScript {
  /**
   * The server does nothing else meanwhile: 0.13 ms for so many claims, 0.24 ms for their ends. A
   * key costs no less in larger ones.
   */
  static final int MOST = 64;

  private static final int STAMP = 21;
  private static final byte[] YES = {'1'};
  private static final byte[] NO = {'0'};

  private final RedisScript script;
  private final List<? extends StoreCommand> commands;

  private BulkScript(RedisScript script, List<? extends StoreCommand> commands) {
    this.script = script;
    this.commands = commands;
  }

  /**
   * The scripts for these commands, in their order; null if they have none. Not if a key is there
   * twice: what is sent alone would come after what is not.
   */
  static @Nullable List<BulkScript> of(List<? extends StoreCommand> commands) {
    RedisScript script = commands.size() < 2 ? null : script(commands);
    if (script == null || !distinct(commands)) {
      return null;
    }
    List<BulkScript> scripts = new ArrayList<>((commands.size() + MOST - 1) / MOST);
    for (int from = 0; from < commands.size(); from += MOST) {
      int to = Math.min(commands.size(), from + MOST);
      scripts.add(new BulkScript(script, commands.subList(from, to)));
    }
    return scripts;
  }

  private static @Nullable RedisScript script(List<? extends StoreCommand> commands) {
    StoreCommand first = commands.get(0);
    if (first instanceof StoreCommand.Claim claim) {
      for (StoreCommand command : commands) {
        if (!(command instanceof StoreCommand.Claim other)
            || !other.lease().equals(claim.lease())
            || other.takeOver() != claim.takeOver()) {
          return null;
        }
      }
      return RedisScript.CLAIM_ALL;
    } else if (first instanceof StoreCommand.Settle settle) {
      for (StoreCommand command : commands) {
        if (!(command instanceof StoreCommand.Settle other)
            || !other.settlement().retention().equals(settle.settlement().retention())) {
          return null;
        }
      }
      return RedisScript.SETTLE_ALL;
    }
    return null;
  }

  private static boolean distinct(List<? extends StoreCommand> commands) {
    Set<EffectId> ids = new HashSet<>(2 * commands.size());
    for (StoreCommand command : commands) {
      if (!ids.add(command.id())) {
        return false;
      }
    }
    return true;
  }

  RedisScript script() {
    return script;
  }

  List<? extends StoreCommand> commands() {
    return commands;
  }

  /**
   * Everything after EVAL or EVALSHA.
   *
   * @param scriptArgument the script's text or its SHA-1, as {@link EvalArgs#argument} gives it
   * @param nowMillis the server's clock as the store knows it, for the second at which effects
   *     ended
   */
  EvalArgs args(byte[] scriptArgument, long nowMillis) {
    int count = commands.size();
    byte[][] keys = new byte[count][];
    byte[][] arguments;
    if (commands.get(0) instanceof StoreCommand.Claim common) {
      arguments = new byte[2 + count][];
      arguments[0] = EvalArgs.number(common.lease().toMillis());
      arguments[1] = common.takeOver() ? YES : NO;
      for (int i = 0; i < count; i++) {
        StoreCommand.Claim claim = (StoreCommand.Claim) commands.get(i);
        keys[i] = RedisKeys.record(claim.id().hash());
        arguments[2 + i] = RedisCommands.fromNothing(claim);
      }
    } else {
      StoreCommand.Settle common = (StoreCommand.Settle) commands.get(0);
      arguments = new byte[1 + 2 * count][];
      arguments[0] = EvalArgs.number(common.settlement().retention().toMillis());
      for (int i = 0; i < count; i++) {
        StoreCommand.Settle settle = (StoreCommand.Settle) commands.get(i);
        keys[i] = RedisKeys.record(settle.id().hash());
        arguments[1 + 2 * i] = RedisCommands.firstRun(settle.token());
        arguments[2 + 2 * i] =
            RedisCommands.settled(settle.token().mark(), settle.settlement(), nowMillis);
      }
    }
    return EvalArgs.of(scriptArgument, keys, arguments);
  }

  /** The commands that the script left alone, by their place. */
  BitSet left(byte[] answer) {
    int from = script == RedisScript.CLAIM_ALL ? STAMP : 0;
    if (answer.length < from || (answer.length - from) % 2 != 0) {
      throw new IllegalArgumentException(
          "a script for many keys answered " + answer.length + " bytes");
    }
    BitSet left = new BitSet(commands.size());
    ByteBuffer in = ByteBuffer.wrap(answer).position(from);
    while (in.hasRemaining()) {
      int number = in.getShort() & 0xffff;
      if (number < 1 || number > commands.size()) {
        throw new IllegalArgumentException(
            "a script for " + commands.size() + " keys answered about number " + number);
      }
      left.set(number - 1);
    }
    return left;
  }

  /**
   * The reply to a command that the script has applied.
   *
   * @param nowMillis the server's clock as the store knows it, for an answer that does not tell it
   */
  StoreReply reply(int place, byte[] answer, long nowMillis) {
    StoreCommand command = commands.get(place);
    return command instanceof StoreCommand.Claim claim
        ? RedisCommands.claimed(claim, answer)
        : new StoreReply(StoreReply.Code.OK, Instant.ofEpochMilli(nowMillis), null);
  }
}
