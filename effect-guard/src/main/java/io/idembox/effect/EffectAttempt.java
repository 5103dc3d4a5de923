package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What effect code is told about the run it is in. Valid until the code returns.
 *
 * <p>Safe for use by any thread, so code may hand it to a thread of its own.
 */
public final class EffectAttempt {
  private final EffectId id;
  private final int generation;
  private final int number;
  private final boolean earlierAttemptUnknown;
  private final long fence;
  private final Lease lease;

  EffectAttempt(
      EffectId id,
      int generation,
      int number,
      boolean earlierAttemptUnknown,
      long fence,
      Lease lease) {
    this.id = id;
    this.generation = generation;
    this.number = number;
    this.earlierAttemptUnknown = earlierAttemptUnknown;
    this.fence = fence;
    this.lease = lease;
  }

  /**
   * The same text on every attempt of this effect, in every process: 43 characters of {@code a-z
   * 0-9 -}, fit for an {@code Idempotency-Key} header and for the local part of a {@code
   * Message-ID}. Only {@code forget} changes it.
   */
  public String providerKey() {
    return ProviderKey.of(id, generation);
  }

  /** This run's number, the first counted as 1, over all processes since the key was last free. */
  public int number() {
    return number;
  }

  /**
   * Whether an earlier run ended with an unknown outcome, so that this one may be the second to
   * reach the provider.
   */
  public boolean earlierAttemptUnknown() {
    return earlierAttemptUnknown;
  }

  /**
   * A number that grows with each claim of this key: a resource that keeps the highest can turn
   * away older holders.
   */
  public long fence() {
    return fence;
  }

  /**
   * How long this run still surely holds the key, by this process's own clock; zero once the lease
   * is lost. Renewed in the background.
   */
  public Duration leaseRemaining() {
    return lease.remaining();
  }

  /**
   * Has something run when the lease is found lost, once: the place to cut a call short that has
   * not reached the provider, such as {@code httpCall::cancel} or {@code thread::interrupt}. At
   * once, on this thread, if the loss is known already; else on a thread of the guard's executor,
   * within about a tenth of a second. What it throws is logged. Not called after the code has
   * returned.
   */
  public void onLeaseLost(Runnable listener) {
    lease.onLost(requireNonNull(listener, "listener"));
  }

  /**
   * Whether the key may be another's by now. Code that has not reached the provider yet should
   * stop.
   */
  public boolean leaseLost() {
    return lease.lost();
  }
}
