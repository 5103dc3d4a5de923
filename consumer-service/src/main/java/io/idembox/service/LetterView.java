package io.idembox.service;

import io.idembox.inbox.DeadLetter;
import io.idembox.inbox.DeadLetterContent;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter in an answer.
 *
 * @param content null in lists
 */
record LetterView(
    long id,
    String state,
    String topic,
    int partition,
    long offset,
    String messageId,
    String reason,
    String causeClass,
    @Nullable String causeMessage,
    int attempts,
    int trips,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant closedAt,
    @Nullable Content content) {

  /** What the record holds, and the whole error. */
  record Content(
      @Nullable Instant timestamp,
      @Nullable Bytes key,
      @Nullable Bytes value,
      List<Header> headers,
      String error) {}

  /** One header. */
  record Header(String name, @Nullable Bytes value) {}

  static LetterView listed(DeadLetter letter) {
    return of(letter, null);
  }

  static LetterView whole(DeadLetter letter) {
    DeadLetterContent content = letter.content();
    return of(
        letter,
        new Content(
            content.timestamp(),
            Bytes.of(content.key()),
            Bytes.of(content.value()),
            content.headers().stream()
                .map(header -> new Header(header.name(), Bytes.of(header.value())))
                .toList(),
            letter.error().text()));
  }

  private static LetterView of(DeadLetter letter, @Nullable Content content) {
    return new LetterView(
        letter.id(),
        ValueType.name(letter.state()),
        letter.topic(),
        letter.claim().partition(),
        letter.claim().offset(),
        letter.claim().messageId().toString(),
        letter.error().reason(),
        letter.error().causeClass(),
        letter.error().causeMessage(),
        letter.attempts(),
        letter.trips(),
        letter.createdAt(),
        letter.updatedAt(),
        letter.closedAt(),
        content);
  }
}
