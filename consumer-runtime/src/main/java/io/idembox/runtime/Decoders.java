package io.idembox.runtime;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.kafka.common.serialization.Deserializer;

/** The decoders that come with Idembox. */
public final class Decoders {
  // Fields that this consumer does not know are the producer's business: a producer that adds one
  // must not stop its consumers.
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Decoders() {}

  /** JSON to a record or class, by Jackson; fields that the type does not have are passed over. */
  public static <T> Decoder<T> json(Class<T> type) {
    ObjectReader reader = JSON.readerFor(Objects.requireNonNull(type, "type"));
    return (topic, headers, value) -> {
      try {
        return reader.readValue(value);
      } catch (JsonProcessingException e) {
        throw new DecodingException(complaint(type, e));
      }
    };
  }

  private static String complaint(Class<?> type, JsonProcessingException e) {
    JsonLocation at = e.getLocation();
    String where = at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
    return "not the JSON of a "
        + type.getName()
        + where
        + " ("
        + e.getClass().getSimpleName()
        + ")";
  }

  /** UTF-8 text; bytes that are not UTF-8 are refused, not replaced. */
  public static Decoder<String> string() {
    return (topic, headers, value) ->
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
  }

  /** The bytes as they came. */
  public static Decoder<byte[]> bytes() {
    return (topic, headers, value) -> value;
  }

  /**
   * Any Kafka deserializer, for instance of Avro or Protobuf with a schema registry.
   *
   * @param deserializer configured by the caller, who also closes it; must be usable by several
   *     threads at once
   */
  public static <T> Decoder<T> kafka(Deserializer<T> deserializer) {
    Objects.requireNonNull(deserializer, "deserializer");
    return deserializer::deserialize;
  }
}
