package io.idembox.inbox;

import io.idembox.inbox.DeadLetterContent.Header;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Headers as bytes, exactly: a version, then for each the lengths and bytes of its name and value.
 */
final class HeaderBytes {
  private static final byte VERSION = 1;
  private static final int NULL = -1;

  private HeaderBytes() {}

  static byte[] write(List<Header> headers) {
    List<byte[]> names = new ArrayList<>(headers.size());
    int size = 1;
    for (Header header : headers) {
      byte[] name = header.name().getBytes(StandardCharsets.UTF_8);
      names.add(name);
      size += 8 + name.length + (header.value() == null ? 0 : header.value().length);
    }
    ByteBuffer bytes = ByteBuffer.allocate(size).put(VERSION);
    for (int i = 0; i < headers.size(); i++) {
      byte[] value = headers.get(i).value();
      bytes.putInt(names.get(i).length).put(names.get(i));
      bytes.putInt(value == null ? NULL : value.length);
      if (value != null) {
        bytes.put(value);
      }
    }
    return bytes.array();
  }

  static List<Header> read(byte[] stored) {
    ByteBuffer bytes = ByteBuffer.wrap(stored);
    byte version = bytes.get();
    if (version != VERSION) {
      throw new IllegalStateException(
          "Headers of format " + version + " were stored by a newer version of Idembox");
    }
    List<Header> headers = new ArrayList<>();
    while (bytes.hasRemaining()) {
      byte[] name = new byte[bytes.getInt()];
      bytes.get(name);
      int length = bytes.getInt();
      byte[] value = null;
      if (length != NULL) {
        value = new byte[length];
        bytes.get(value);
      }
      headers.add(new Header(new String(name, StandardCharsets.UTF_8), value));
    }
    return headers;
  }
}
