package io.idembox.runtime;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** Where the name of a record's type stands. Thread-safe. */
@FunctionalInterface
public interface TypeName {

  /**
   * The type's name, or null where the record does not say; such a record is recorded as ignored.
   *
   * @throws Exception if the name is there but cannot be read; the record then fails alone
   */
  @Nullable String of(ConsumerRecord<byte[], byte[]> record) throws Exception;

  /** The last header of this exact name, as UTF-8 text. */
  static TypeName header(String name) {
    Objects.requireNonNull(name, "name");
    return record -> {
      Header header = record.headers().lastHeader(name);
      return header == null || header.value() == null
          ? null
          : StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(header.value())).toString();
    };
  }

  /**
   * A text inside of a JSON value, such as {@code /event/type}. A value that is not JSON, or holds
   * something else than a text there, fails its record; where nothing or null stands there, the
   * type is not said.
   *
   * @throws IllegalArgumentException if it is no JSON pointer (RFC 6901)
   */
  static TypeName jsonPointer(String pointer) {
    JsonPointer parsed = JsonPointer.compile(Objects.requireNonNull(pointer, "pointer"));
    ObjectReader reader = new ObjectMapper().reader();
    return record -> {
      if (record.value() == null) {
        return null;
      }
      JsonNode found = reader.readTree(record.value()).at(parsed);
      if (found.isMissingNode() || found.isNull()) {
        return null;
      }
      if (!found.isTextual()) {
        throw new DecodingException("the type at " + pointer + " is no text");
      }
      return found.textValue();
    };
  }

  /** The type of a CloudEvent in binary mode: the header {@code ce_type}. */
  static TypeName cloudEvents() {
    return header("ce_type");
  }
}
