package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.JsonPointerBasedFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Streams through the document up to the one field; never builds a tree. */
final class JsonPointerExtractor implements MessageIdExtractor {
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonPointer pointer;

  JsonPointerExtractor(String pointer) {
    requireNonNull(pointer, "pointer");
    if (pointer.isEmpty()) {
      throw new IllegalArgumentException("The JSON pointer of a message id is empty: name a field");
    }
    this.pointer = JsonPointer.compile(pointer);
  }

  @Override
  public byte @Nullable [] extract(InboundRecord record) throws IOException {
    byte[] value = record.value();
    if (value == null) {
      return null;
    }
    try (JsonParser parser =
        new FilteringParserDelegate(
            JSON.createParser(value),
            new JsonPointerBasedFilter(pointer),
            Inclusion.ONLY_INCLUDE_ALL,
            false)) {
      JsonToken token = parser.nextToken();
      if (token == null || token == JsonToken.VALUE_NULL) {
        return null;
      }
      if (token == JsonToken.VALUE_STRING || token.isNumeric()) {
        return parser.getText().getBytes(StandardCharsets.UTF_8);
      }
      throw new IOException("the value at " + pointer + " is neither a string nor a number");
    } catch (JsonProcessingException e) {
      // The parser's message quotes the payload.
      throw new IOException("the value is no JSON", e);
    }
  }
}
