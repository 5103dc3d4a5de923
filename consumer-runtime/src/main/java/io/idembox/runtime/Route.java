package io.idembox.runtime;

import io.idembox.inbox.InboxTransaction;
import io.idembox.inbox.MessageIdentity;
import java.util.List;
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

  /** Decodes one record and hands it to its handler. */
  void handle(FetchedRecord fetched, MessageIdentity.Known identity, InboxTransaction tx)
      throws Exception {
    handle(message(fetched, identity), tx);
  }

  /** Hands one message to its handler, as a list of one if that takes lists. */
  void handle(InboxMessage<T> message, InboxTransaction tx) throws Exception {
    if (batch != null) {
      batch.handle(List.of(message), tx);
    } else {
      // The handler's own parameter type is a supertype of T, and a message only hands values out.
      @SuppressWarnings("unchecked")
      InboxHandler<T> handler = (InboxHandler<T>) Objects.requireNonNull(single);
      handler.handle(message, tx);
    }
  }

  private @Nullable T decode(FetchedRecord fetched, byte[] bytes) {
    try {
      return decoder.decode(fetched.topic(), fetched.record().headers(), bytes);
    } catch (Exception | StackOverflowError e) {
      // A value nested too deeply for its decoder is its own fault, too.
      throw new UndecodableRecordException(Coordinates.of(fetched.record()), e);
    }
  }
}
