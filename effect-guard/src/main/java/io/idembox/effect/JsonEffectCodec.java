package io.idembox.effect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Receipts as JSON, with the type's name and version in front; null as one byte.
 *
 * <p>Reading by rule: the stored name is told in errors and otherwise not compared, so a class may
 * move and be renamed; fields that the class no longer has are passed over; a missing field is
 * null, and an error if it is primitive or the class itself refuses null.
 *
 * <p>Thread-safe.
 */
public final class JsonEffectCodec implements EffectCodec {
  private static final byte NULL = 0;
  private static final byte JSON = 1;
  private static final int MAX_NAME = 127;

  private final ObjectMapper mapper;

  /** What is found out once per class; a class that is unloaded takes its own with it. */
  private final ClassValue<Type> types =
      new ClassValue<>() {
        @Override
        protected Type computeValue(Class<?> type) {
          return new Type(mapper.writerFor(type), head(type));
        }
      };

  /** How a class is written: by a writer that has found its serializer, behind the same head. */
  private static final class Type {
    final ObjectWriter writer;
    final byte[] head;

    Type(ObjectWriter writer, byte[] head) {
      this.writer = writer;
      this.head = head;
    }
  }

  /**
   * With dates as text, unknown fields passed over, and maps in key order, so that equal requests
   * compare equal.
   */
  public JsonEffectCodec() {
    this(
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build());
  }

  /**
   * With a mapper of your own.
   *
   * @param mapper used as it is; configure it before
   */
  public JsonEffectCodec(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public byte[] encode(@Nullable Object value) throws JsonProcessingException {
    if (value == null) {
      return new byte[] {NULL};
    }
    Type type = types.get(value.getClass());
    byte[] json = type.writer.writeValueAsBytes(value);
    byte[] out = Arrays.copyOf(type.head, type.head.length + json.length);
    System.arraycopy(json, 0, out, type.head.length, json.length);
    return out;
  }

  @Override
  public <T> @Nullable T decode(byte[] bytes, Class<T> type) throws IOException {
    if (bytes.length == 1 && bytes[0] == NULL) {
      return null;
    }
    if (bytes.length < 3 || bytes[0] != JSON || bytes[2] < 0 || bytes.length < 3 + bytes[2]) {
      throw new IOException("the stored bytes (%d) are not a JSON receipt".formatted(bytes.length));
    }
    int from = 3 + bytes[2];
    try {
      return mapper.readValue(bytes, from, bytes.length - from, type);
    } catch (JsonProcessingException e) {
      // Only names and the place: the message of the parser quotes what was stored.
      throw new IOException(
          "the stored value is of type '%s' version %d: %s"
              .formatted(
                  new String(bytes, 3, bytes[2], StandardCharsets.UTF_8),
                  bytes[1] & 0xff,
                  e.getClass().getSimpleName()),
          e);
    }
  }

  /** The JSON alone: a request's class may be renamed. */
  @Override
  public byte[] comparable(@Nullable Object request) throws JsonProcessingException {
    return request == null
        ? mapper.writeValueAsBytes(null)
        : types.get(request.getClass()).writer.writeValueAsBytes(request);
  }

  private static byte[] head(Class<?> type) {
    ReceiptType declared = type.getAnnotation(ReceiptType.class);
    String full = type.getTypeName();
    String bare = declared != null ? declared.value() : full.substring(full.lastIndexOf('.') + 1);
    byte[] name = bare.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(name.length, MAX_NAME);
    int version = declared == null ? 1 : Math.min(declared.version(), 255);
    return ByteBuffer.allocate(3 + length)
        .put(JSON)
        .put((byte) version)
        .put((byte) length)
        .put(name, 0, length)
        .array();
  }
}
