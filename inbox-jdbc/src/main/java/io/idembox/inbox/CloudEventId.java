package io.idembox.inbox;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.idembox.inbox.MessageIds.Hashed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pair of source and id from a CloudEvent, in binary mode (headers) or structured JSON
 * mode (value). The specification calls events with equal pairs duplicates; an id alone says
 * nothing.
 */
final class CloudEventId {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String STRUCTURED = "application/cloudevents";

  private CloudEventId() {}

  /**
   * What was found.
   *
   * @param id null when the record is no CloudEvent or has a problem
   * @param problem null when there is none
   */
  record Answer(@Nullable UUID id, @Nullable String problem) {
    static final Answer NONE = new Answer(null, null);

    static Answer problem(String problem) {
      return new Answer(null, problem);
    }
  }

  static Answer of(InboundRecord record) {
    MessageHeaders headers = record.headers();
    List<byte @Nullable []> ids = headers.values("ce_id");
    if (!ids.isEmpty()) {
      return pair(ids, headers.values("ce_source"), "header ce_id", "header ce_source");
    }
    byte[] value = record.value();
    return value != null && isStructuredJson(headers) ? structured(value) : Answer.NONE;
  }

  private static Answer pair(
      List<byte @Nullable []> ids,
      List<byte @Nullable []> sources,
      String idName,
      String sourceName) {
    if (ids.isEmpty()) {
      return Answer.problem("the CloudEvent has no " + idName);
    }
    if (sources.isEmpty()) {
      return Answer.problem("the CloudEvent has no " + sourceName);
    }
    IdValue id = IdValue.of(idName, ids);
    IdValue source = IdValue.of(sourceName, sources);
    if (id.bytes() == null) {
      return Answer.problem(id.problem());
    }
    if (source.bytes() == null) {
      return Answer.problem(source.problem());
    }
    return new Answer(MessageIds.hashed(Hashed.CLOUD_EVENT, source.bytes(), id.bytes()), null);
  }

  /**
   * Structured mode in another format than JSON is left to the extractor: only its user can read
   * it.
   */
  private static boolean isStructuredJson(MessageHeaders headers) {
    for (byte[] value : headers.values("content-type")) {
      String type =
          value == null
              ? ""
              : new String(value, StandardCharsets.US_ASCII).trim().toLowerCase(Locale.ROOT);
      if (type.startsWith(STRUCTURED)) {
        String rest = type.substring(STRUCTURED.length());
        return rest.isEmpty() || rest.startsWith("+json") || rest.startsWith(";");
      }
    }
    return false;
  }

  private static Answer structured(byte[] value) {
    List<byte @Nullable []> ids = new ArrayList<>(1);
    List<byte @Nullable []> sources = new ArrayList<>(1);
    try (JsonParser parser = JSON.createParser(value)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return Answer.problem("the CloudEvent in structured mode is no JSON object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken token = parser.nextToken();
        if (field.equals("id") || field.equals("source")) {
          if (token != JsonToken.VALUE_STRING && token != JsonToken.VALUE_NULL) {
            return Answer.problem("the CloudEvent's " + field + " is no string");
          }
          byte[] text = token == JsonToken.VALUE_NULL ? null : MessageIds.utf8(parser.getText());
          (field.equals("id") ? ids : sources).add(text);
        } else {
          parser.skipChildren();
        }
      }
    } catch (IOException e) {
      // The parser's message quotes the payload; where it failed is not worth that.
      return Answer.problem("the CloudEvent in structured mode is no JSON");
    }
    return pair(ids, sources, "id", "source");
  }
}
