package io.idembox.runtime;

import io.idembox.inbox.InboxBatch;
import io.idembox.inbox.MessageIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
  private boolean begun;
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
    for (int index : open.fresh()) {
      if (begun && end.isDue()) {
        open.endBefore(index);
        break;
      }
      begun = true;
      Route<?> route = routeOf(index);
      if (collected != null && !collected.route.equals(route)) {
        handleCollected();
      }
      if (route == null) {
        ignored++;
      } else if (route.batch() != null) {
        collect(route, index);
      } else {
        handleOne(route, index);
      }
    }
    handleCollected();
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

  private @Nullable Route<?> routeOf(int index) {
    try {
      return routes.of(records.get(index));
    } catch (Exception e) {
      throw new RecordFailedException(index, e);
    }
  }

  private <T> void handleOne(Route<T> route, int index) {
    suspect = index;
    try {
      // The handler's own parameter type is a supertype of T, and a message only hands values out.
      @SuppressWarnings("unchecked")
      InboxHandler<T> handler = (InboxHandler<T>) Objects.requireNonNull(route.single());
      spans.around(
          records.get(index),
          identities.get(index),
          () -> handler.handle(message(route, index), open.begin(index)));
      handled++;
    } catch (Throwable e) {
      // A handler's Error is the failure of its record as much as an exception is.
      throw new RecordFailedException(index, e);
    } finally {
      forgetInterrupt(records.get(index));
    }
  }

  private <T> InboxMessage<T> message(Route<T> route, int index) {
    return route.message(records.get(index), identities.get(index));
  }

  private <T> void collect(Route<T> route, int index) {
    InboxMessage<T> message;
    try {
      message = message(route, index);
    } catch (RuntimeException e) {
      throw new RecordFailedException(index, e);
    }
    if (collected == null) {
      collected = new Collected<>(route, index);
    }
    // It was begun by the same route, so its type is the route's.
    @SuppressWarnings("unchecked")
    Collected<T> sameRoute = (Collected<T>) collected;
    sameRoute.messages.add(message);
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
