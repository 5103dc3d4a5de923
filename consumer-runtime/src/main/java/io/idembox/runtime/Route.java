package io.idembox.runtime;

import io.idembox.inbox.MessageIdentity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one type of record is decoded, and who handles it: message by message, or a list at a time.
 */
record Route<T>(
    Decoder<T> decoder,
    @Nullable InboxHandler<? super T> single,
    @Nullable BatchInboxHandler<T> batch) {
  Route {
    Objects.requireNonNull(decoder, "decoder");
    if ((single == null) == (batch == null)) {
      throw new IllegalArgumentException("A route needs one handler");
    }
  }

  /** Decodes one record. */
  InboxMessage<T> message(FetchedRecord fetched, MessageIdentity.Known identity) {
    byte[] bytes = fetched.value();
    T value = bytes == null ? null : decode(fetched, bytes);
    return new InboxMessage<>(fetched.record(), fetched.headers(), identity, value);
  }

  private @Nullable T decode(FetchedRecord fetched, byte[] bytes) {
    try {
      return decoder.decode(fetched.topic(), fetched.record().headers(), bytes);
    } catch (Exception e) {
      throw new UndecodableRecordException(Coordinates.of(fetched.record()), e);
    }
  }
}
