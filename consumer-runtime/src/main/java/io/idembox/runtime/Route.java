package io.idembox.runtime;

import io.idembox.inbox.InboxTransaction;
import io.idembox.inbox.MessageIdentity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How one type of record is decoded, and who handles it. */
record Route<T>(Decoder<T> decoder, InboxHandler<? super T> handler) {
  Route {
    Objects.requireNonNull(decoder, "decoder");
    Objects.requireNonNull(handler, "handler");
  }

  void handle(FetchedRecord fetched, MessageIdentity.Known identity, InboxTransaction tx)
      throws Exception {
    byte[] bytes = fetched.value();
    T value = bytes == null ? null : decode(fetched, bytes);
    // The handler's own parameter type is a supertype of T, and a message only hands values out.
    @SuppressWarnings("unchecked")
    InboxHandler<T> narrowed = (InboxHandler<T>) handler;
    narrowed.handle(new InboxMessage<>(fetched.record(), fetched.headers(), identity, value), tx);
  }

  private @Nullable T decode(FetchedRecord fetched, byte[] bytes) {
    try {
      return decoder.decode(fetched.topic(), fetched.record().headers(), bytes);
    } catch (Exception e) {
      throw new UndecodableRecordException(Coordinates.of(fetched.record()), e);
    }
  }
}
