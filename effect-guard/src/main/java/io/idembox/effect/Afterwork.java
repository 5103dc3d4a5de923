package io.idembox.effect;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands that the store did not answer and that must not be forgotten: ends of runs, and releases
 * of claims that may have been applied though nobody learned of it. Each is sent again until the
 * store answers; repeating is harmless, for every command compares the token.
 */
final class Afterwork {
  private static final Logger LOG = LoggerFactory.getLogger(Afterwork.class);
  private static final int LIMIT = 10_000;

  private final EffectStore store;
  private final Map<EffectToken, Item> items = new ConcurrentHashMap<>();

  private static final class Item {
    final StoreCommand command;
    final Runnable whenDone;
    volatile boolean asking;

    Item(StoreCommand command, Runnable whenDone) {
      this.command = command;
      this.whenDone = whenDone;
    }
  }

  Afterwork(EffectStore store) {
    this.store = store;
  }

  /**
   * Takes a command over.
   *
   * @param whenDone runs once, when the store has answered or the command is dropped
   */
  void add(EffectToken token, StoreCommand command, Runnable whenDone) {
    if (items.size() >= LIMIT) {
      // Dropped, the record stays claimed until its lease ends and then counts as in doubt: safe,
      // but for a person.
      LOG.error(
          "More than {} effects wait for the store: {} is not tried again",
          LIMIT,
          command.id().hash());
      whenDone.run();
      return;
    }
    items.put(token, new Item(command, whenDone));
  }

  boolean idle() {
    return items.isEmpty();
  }

  int size() {
    return items.size();
  }

  /** A store that throws instead of answering is asked again, as one that does not answer. */
  private CompletionStage<StoreReply> asked(StoreCommand command) {
    try {
      return store.apply(command);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** One turn of the guard's timer. */
  void turn() {
    items.forEach(
        (token, item) -> {
          if (!item.asking) {
            item.asking = true;
            var unused =
                asked(item.command)
                    .whenComplete(
                        (reply, failure) -> {
                          if (failure == null && items.remove(token, item)) {
                            item.whenDone.run();
                          }
                          item.asking = false;
                        });
          }
        });
  }
}
