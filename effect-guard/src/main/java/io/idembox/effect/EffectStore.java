package io.idembox.effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps one record per effect. Each command is one atomic compare-and-change, so any number of
 * processes may send them.
 *
 * <p>Unsettled records never expire; settled ones do, at the end of their retention. All stages
 * complete exceptionally with an {@link EffectStoreException} and nothing else. Thread-safe; no
 * method waits for the store.
 */
public interface EffectStore extends AutoCloseable {
  /** Applies one command. */
  CompletionStage<StoreReply> apply(StoreCommand command);

  /** Applies each command by itself, sent together; answers in the same order. */
  default List<CompletionStage<StoreReply>> applyAll(List<? extends StoreCommand> commands) {
    List<CompletionStage<StoreReply>> replies = new ArrayList<>(commands.size());
    for (StoreCommand command : commands) {
      replies.add(apply(command));
    }
    return replies;
  }

  /**
   * Reads the records of many effects in one round trip where the store can; same order and size.
   * Changes nothing.
   */
  CompletionStage<List<Optional<EffectRecord>>> lookUp(List<EffectId> ids);

  /**
   * The indexed records of a namespace, in no order: those in doubt, and claims that have been
   * renewed. The index changes in the same step as the record.
   */
  CompletionStage<List<EffectRecord>> unsettled(String namespace);

  /**
   * Looks through all records for claims of a namespace whose lease has ended and whose key nobody
   * asked for since, and brings them in doubt, so that they are indexed. Reads the whole store in
   * small steps: for now and then.
   *
   * @return how many
   */
  default CompletionStage<Integer> sweep(String namespace) {
    // Nothing to do for a store that indexes each claim at once.
    return CompletableFuture.completedFuture(0);
  }

  /** Reads the namespace's marker; writes one if there is none. */
  CompletionStage<StoreMarker> marker(String namespace);

  /**
   * Has something run each time a connection was lost and is there again. Quick, for it runs on the
   * store's own thread.
   */
  default void onReconnect(Runnable listener) {}

  /** How long one command may take; a lease is at least three times as long. */
  Duration commandTimeout();

  /**
   * Asks the store about everything that would break a promise. Waits for the answers, up to a few
   * command time-outs.
   *
   * @throws EffectStoreException if it cannot be asked
   */
  List<StoreFinding> check();

  /** Closes what the store opened. Idempotent. */
  @Override
  void close();
}
