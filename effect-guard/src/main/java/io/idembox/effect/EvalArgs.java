package io.idembox.effect;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What follows EVAL or EVALSHA, put together on the caller's thread in one piece. The client's own
 * arguments are written one by one, each in three parts, by the one thread that all callers share.
 */
final class EvalArgs extends CommandArgs<byte[], byte[]> {
  private static final byte[] TWO_KEYS = argument(new byte[] {'2'});

  private final byte[] encoded;
  private final int count;

  private EvalArgs(byte[] key, byte[] encoded, int count) {
    super(ByteArrayCodec.INSTANCE);
    // Not written by encode below; in a cluster, the client looks here for the slot.
    addKey(key);
    this.encoded = encoded;
    this.count = count;
  }

  /**
   * With two keys.
   *
   * @param script as {@link #argument} gives it
   */
  static EvalArgs of(byte[] script, byte[] key, byte[] index, byte[]... arguments) {
    int length = script.length + TWO_KEYS.length + size(key) + size(index);
    for (byte[] argument : arguments) {
      length += size(argument);
    }
    ByteBuffer out = ByteBuffer.allocate(length).put(script).put(TWO_KEYS);
    put(out, key);
    put(out, index);
    for (byte[] argument : arguments) {
      put(out, argument);
    }
    return new EvalArgs(key, out.array(), 4 + arguments.length);
  }

  /**
   * With any number of keys, at least one.
   *
   * @param script as {@link #argument} gives it
   */
  static EvalArgs of(byte[] script, byte[][] keys, byte[][] arguments) {
    byte[] count = number(keys.length);
    int length = script.length + size(count);
    for (byte[] key : keys) {
      length += size(key);
    }
    for (byte[] argument : arguments) {
      length += size(argument);
    }
    ByteBuffer out = ByteBuffer.allocate(length).put(script);
    put(out, count);
    for (byte[] key : keys) {
      put(out, key);
    }
    for (byte[] argument : arguments) {
      put(out, argument);
    }
    return new EvalArgs(keys[0], out.array(), 2 + keys.length + arguments.length);
  }

  /** As the protocol writes an argument: its length, itself, each ended by a line break. */
  static byte[] argument(byte[] argument) {
    ByteBuffer out = ByteBuffer.allocate(size(argument));
    put(out, argument);
    return out.array();
  }

  static byte[] number(long value) {
    return Long.toString(value).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static int size(byte[] argument) {
    int digits = 1;
    for (int rest = argument.length; rest > 9; rest /= 10) {
      digits++;
    }
    return 1 + digits + 2 + argument.length + 2;
  }

  private static void put(ByteBuffer out, byte[] argument) {
    out.put((byte) '$');
    int length = argument.length;
    int power = 1;
    while (length / power > 9) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      out.put((byte) ('0' + length / power % 10));
    }
    out.put((byte) '\r').put((byte) '\n').put(argument).put((byte) '\r').put((byte) '\n');
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public void encode(ByteBuf buffer) {
    buffer.writeBytes(encoded);
  }
}
