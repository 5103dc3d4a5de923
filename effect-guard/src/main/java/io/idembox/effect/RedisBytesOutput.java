package io.idembox.effect;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An array of byte strings as it comes, nulls included, without the key beside each value. */
final class RedisBytesOutput extends CommandOutput<byte[], byte[], List<byte @Nullable []>> {
  RedisBytesOutput(RedisCodec<byte[], byte[]> codec) {
    super(codec, new ArrayList<>());
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    if (bytes == null) {
      output.add(null);
    } else {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      output.add(copy);
    }
  }

  @Override
  public void multi(int count) {
    if (output.isEmpty() && count > 0) {
      output = new ArrayList<>(count);
    }
  }
}
