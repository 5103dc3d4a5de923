package io.idembox.effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What people do with effects: see what is in doubt and decide about it, by business key. Of one
 * namespace.
 *
 * <p>Thread-safe. Every method asks the store and waits for it; each throws {@link
 * EffectStoreException} if it fails. A decision is one atomic step, refused while a lease holds:
 * nobody decides about an effect that runs.
 */
public final class EffectOperations {
  private final GuardParts parts;
  private final EffectIds ids;

  EffectOperations(GuardParts parts, EffectIds ids) {
    this.parts = parts;
    this.ids = ids;
  }

  /** What became of a decision. */
  public enum Decision {
    APPLIED,
    /** Somebody runs the effect now. */
    STILL_RUNNING,
    /** It is done or rejected already; {@link #forget} is what changes that. */
    ALREADY_SETTLED,
    /** The store knows nothing of the key. */
    NOTHING_THERE,
    /** The record is damaged or of a newer release; it is left as it is. */
    UNREADABLE
  }

  /**
   * The effects that are in doubt, oldest first: marked so, or with a lease that has ended. Of
   * claims abandoned before their first renewal only those whose key was asked for since, or that
   * {@link #sweep} found.
   */
  public List<EffectRecord> inDoubt() {
    List<EffectRecord> found =
        new ArrayList<>(await(parts.calls().store().unsettled(parts.namespace())));
    found.removeIf(record -> record.state() == EffectRecord.State.CLAIMED && !leaseEnded(record));
    found.sort(java.util.Comparator.comparing(EffectRecord::since));
    return found;
  }

  private boolean leaseEnded(EffectRecord record) {
    EffectKey key = record.key().orElse(null);
    return key != null && decide(new StoreCommand.EndLease(ids.of(key))) != Decision.STILL_RUNNING;
  }

  /** What the store knows of a key; empty if nothing. */
  public Optional<EffectRecord> show(EffectKey key) {
    return await(parts.calls().store().lookUp(List.of(ids.of(key)))).get(0);
  }

  /**
   * It happened: later callers get this receipt.
   *
   * @param receipt of the type that the effect's receipts have
   * @throws IllegalArgumentException if the codec cannot encode the receipt
   */
  public Decision resolveDone(EffectKey key, @Nullable Object receipt, Duration retention) {
    byte[] bytes;
    try {
      bytes = parts.codec().encode(receipt);
    } catch (Exception e) {
      throw new IllegalArgumentException(
          "The receipt for " + parts.shown(key) + " cannot be encoded", e);
    }
    return decide(new StoreCommand.Resolve(ids.of(key), Settlement.done(bytes, 0, retention)));
  }

  /** It happened, and its receipt is not known: later callers are told so. */
  public Decision resolveDoneWithoutReceipt(EffectKey key, Duration retention) {
    return decide(
        new StoreCommand.Resolve(ids.of(key), Settlement.doneWithoutReceipt(0, retention)));
  }

  /** It did not happen: the key is free, and the next call runs it under the same provider key. */
  public Decision resolveNotDone(EffectKey key) {
    return decide(new StoreCommand.ResolveNotDone(ids.of(key)));
  }

  /**
   * It may run again, whatever became of it, under a new provider key: the provider will take it
   * for another one.
   */
  public Decision forget(EffectKey key) {
    return decide(new StoreCommand.Forget(ids.of(key)));
  }

  /**
   * Looks through the whole store for claims that their process abandoned and that nobody asked for
   * since.
   *
   * @return how many were brought in doubt, so that {@link #inDoubt} shows them
   */
  public int sweep() {
    CompletionStage<Integer> sweep = parts.calls().store().sweep(parts.namespace());
    return await(sweep);
  }

  private Decision decide(StoreCommand command) {
    return switch (await(parts.calls().apply(command)).code()) {
      case OK, OK_ABSENT -> Decision.APPLIED;
      case HELD -> Decision.STILL_RUNNING;
      case SETTLED -> Decision.ALREADY_SETTLED;
      case ABSENT, LOST, IN_DOUBT, MISMATCH -> Decision.NOTHING_THERE;
      case UNREADABLE -> Decision.UNREADABLE;
    };
  }

  private <T> T await(CompletionStage<T> stage) {
    return parts.calls().awaitUninterruptibly(stage);
  }
}
