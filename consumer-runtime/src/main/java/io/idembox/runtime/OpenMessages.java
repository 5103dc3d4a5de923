package io.idembox.runtime;

import io.idembox.inbox.InboxBatch;
import io.idembox.inbox.MessageIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The new messages of one open transaction, on their way through their handlers in the order of
 * their offsets. Neighbours that go to the same batch handler make one list.
 */
final class OpenMessages {
  private static final Logger log = LoggerFactory.getLogger(OpenMessages.class);

  private static final int NOBODY = -1;

  private final List<FetchedRecord> records;
  private final List<MessageIdentity.Known> identities;
  private final Routes routes;
  private final InboxBatch open;
  private final ProcessSpans spans;
  private final BatchEnd end;
  private @Nullable Collected<?> collected;
  private int suspect = NOBODY;
  private int handled;
  private int ignored;

  OpenMessages(
      List<FetchedRecord> records,
      List<MessageIdentity.Known> identities,
      Routes routes,
      InboxBatch open,
      ProcessSpans spans,
      BatchEnd end) {
    this.records = records;
    this.identities = identities;
    this.routes = routes;
    this.open = open;
    this.spans = spans;
    this.end = end;
  }

  /**
   * Runs the handlers, of one message at least, until the batch is to end; what was not begun by
   * then is left out of the transaction.
   *
   * @throws AssignmentEndedException if the partition went away meanwhile
   * @throws RecordFailedException if one known record is to blame
   * @throws Exception if a batch handler failed, and nobody knows through which of its messages
   */
  void handleAll() throws Exception {
    boolean begun = false;
    for (int index : open.fresh()) {
      if (begun && end.isDue()) {
        open.endBefore(index);
        break;
      }
      Optional<Decoded<?>> decoded;
      try {
        decoded = decode(index);
      } catch (UndecodableRecordException e) {
        if (begun) {
          // What was handled is committed, and this record is the first of the next batch.
          open.endBefore(index);
          break;
        }
        throw new RecordFailedException(index, e);
      }
      begun = true;
      take(decoded);
    }
    handleCollected();
  }

  /** A message on its way to its handler. */
  private record Decoded<T>(Route<T> route, int index, InboxMessage<T> message) {}

  private void take(Optional<Decoded<?>> decoded) throws Exception {
    Route<?> route = decoded.map(Decoded::route).orElse(null);
    if (collected != null && !collected.route.equals(route)) {
      handleCollected();
    }
    if (decoded.isEmpty()) {
      ignored++;
    } else if (decoded.get().route().batch() != null) {
      collect(decoded.get());
    } else {
      handleOne(decoded.get());
    }
  }

  int handled() {
    return handled;
  }

  /** The message whose handler ran last; empty if none did, or the last one ran on a list. */
  OptionalInt suspect() {
    return suspect == NOBODY ? OptionalInt.empty() : OptionalInt.of(suspect);
  }

  int ignored() {
    return ignored;
  }

  /** Empty where the record's type has no handler. */
  private Optional<Decoded<?>> decode(int index) {
    FetchedRecord fetched = records.get(index);
    Route<?> route;
    try {
      route = routes.of(fetched);
    } catch (Exception | StackOverflowError e) {
      // The type's name could not be found where the subscription says it stands.
      throw new UndecodableRecordException(Coordinates.of(fetched.record()), e);
    }
    return route == null ? Optional.empty() : Optional.of(decode(route, index));
  }

  private <T> Decoded<T> decode(Route<T> route, int index) {
    return new Decoded<>(route, index, route.message(records.get(index), identities.get(index)));
  }

  private <T> void handleOne(Decoded<T> decoded) {
    int index = decoded.index();
    suspect = index;
    try {
      spans.around(
          records.get(index),
          identities.get(index),
          () -> decoded.route().handle(decoded.message(), open.begin(index)));
      handled++;
    } catch (Throwable e) {
      // A handler's Error is the failure of its record as much as an exception is.
      throw new RecordFailedException(index, e);
    } finally {
      forgetInterrupt(records.get(index));
    }
  }

  private <T> void collect(Decoded<T> decoded) {
    if (collected == null) {
      collected = new Collected<>(decoded.route(), decoded.index());
    }
    // It was begun by the same route, so its type is the route's.
    @SuppressWarnings("unchecked")
    Collected<T> sameRoute = (Collected<T>) collected;
    sameRoute.messages.add(decoded.message());
  }

  private void handleCollected() throws Exception {
    Collected<?> list = collected;
    if (list != null) {
      collected = null;
      handleList(list);
    }
  }

  private <T> void handleList(Collected<T> list) throws Exception {
    suspect = list.messages.size() == 1 ? list.first : NOBODY;
    try {
      BatchInboxHandler<T> handler = Objects.requireNonNull(list.route.batch());
      handler.handle(List.copyOf(list.messages), open.all());
      handled += list.messages.size();
    } catch (Throwable e) {
      if (list.messages.size() == 1) {
        throw new RecordFailedException(list.first, e);
      }
      throw new BatchHandlerFailedException(e);
    } finally {
      forgetInterrupt(records.get(list.first));
    }
  }

  /** A handler's interrupt must not reach the inbox's own statements, or the next handler. */
  private static void forgetInterrupt(FetchedRecord fetched) {
    if (Thread.interrupted()) {
      log.warn(
          "{}: the handler left its thread interrupted; the flag was cleared",
          Coordinates.of(fetched.record()));
    }
  }

  private static final class Collected<T> {
    private final Route<T> route;
    private final int first;
    private final List<InboxMessage<T>> messages = new ArrayList<>();

    Collected(Route<T> route, int first) {
      this.route = route;
      this.first = first;
    }
  }
}
