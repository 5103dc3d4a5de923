package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How one effect is guarded. Immutable; {@link Builder#build()} checks each value and every
 * relation between them.
 *
 * <p>{@link #defaults()}: retention 72 h, lease 30 s, RETRY, fingerprint WARN, store failure
 * CLOSED, receipt cap 16 KiB, 3 attempts with a backoff of 100 ms to 2 s, no timeout, second caller
 * unset.
 */
public final class EffectPolicy {
  public static final Duration DEFAULT_RETENTION = Duration.ofDays(3);
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
  public static final int DEFAULT_RECEIPT_CAP = 16 * 1024;
  public static final int DEFAULT_MAX_ATTEMPTS = 3;
  public static final Duration DEFAULT_BACKOFF = Duration.ofMillis(100);
  public static final Duration DEFAULT_MAX_BACKOFF = Duration.ofSeconds(2);

  private static final EffectPolicy DEFAULTS = builder().build();

  private final Duration retention;
  private final Duration lease;
  private final OnUnknown onUnknown;
  private final @Nullable SecondCaller secondCaller;
  private final OnMismatch onMismatch;
  private final OnStoreFailure onStoreFailure;
  private final int receiptCap;
  private final int maxAttempts;
  private final Duration backoff;
  private final Duration maxBackoff;
  private final @Nullable Duration timeout;

  private EffectPolicy(Builder b) {
    retention = b.retention;
    lease = b.lease;
    onUnknown = b.onUnknown;
    secondCaller = b.secondCaller;
    onMismatch = b.onMismatch;
    onStoreFailure = b.onStoreFailure;
    receiptCap = b.receiptCap;
    maxAttempts = b.maxAttempts;
    backoff = b.backoff;
    maxBackoff = b.maxBackoff;
    timeout = b.timeout;
  }

  public static EffectPolicy defaults() {
    return DEFAULTS;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from this policy. */
  public Builder toBuilder() {
    Builder b = new Builder();
    b.retention = retention;
    b.lease = lease;
    b.onUnknown = onUnknown;
    b.secondCaller = secondCaller;
    b.onMismatch = onMismatch;
    b.onStoreFailure = onStoreFailure;
    b.receiptCap = receiptCap;
    b.maxAttempts = maxAttempts;
    b.backoff = backoff;
    b.maxBackoff = maxBackoff;
    b.timeout = timeout;
    return b;
  }

  /**
   * How long a finished effect is remembered, counted from its end. Unfinished ones are remembered
   * until settled.
   */
  public Duration retention() {
    return retention;
  }

  /**
   * How long a holder that fell silent keeps the key. Renewed while the code runs, so code may take
   * longer.
   */
  public Duration lease() {
    return lease;
  }

  public OnUnknown onUnknown() {
    return onUnknown;
  }

  /**
   * Empty if unset: then {@code once} and {@code tryOnce} wait up to 10 s, and {@code tryOnceAll}
   * does not wait.
   */
  public Optional<SecondCaller> secondCaller() {
    return Optional.ofNullable(secondCaller);
  }

  /** What a changed request under the same key means. */
  public OnMismatch fingerprint() {
    return onMismatch;
  }

  public OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  /**
   * The longest encoded receipt that is kept, in bytes. The effect of a longer one is done all the
   * same.
   */
  public int receiptCap() {
    return receiptCap;
  }

  /** Runs within one call of the guard, the first included. */
  public int maxAttempts() {
    return maxAttempts;
  }

  /**
   * The pause after the first failed run; it doubles up to {@link #maxBackoff()}, each with up to
   * half of it cut at random.
   */
  public Duration backoff() {
    return backoff;
  }

  public Duration maxBackoff() {
    return maxBackoff;
  }

  /**
   * How long a caller waits for one run. The run itself goes on and keeps the key until its code
   * has returned.
   */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  /** Collects the values; not thread-safe. */
  public static final class Builder {
    private Duration retention = DEFAULT_RETENTION;
    private Duration lease = DEFAULT_LEASE;
    private OnUnknown onUnknown = OnUnknown.RETRY;
    private @Nullable SecondCaller secondCaller;
    private OnMismatch onMismatch = OnMismatch.WARN;
    private OnStoreFailure onStoreFailure = OnStoreFailure.CLOSED;
    private int receiptCap = DEFAULT_RECEIPT_CAP;
    private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
    private Duration backoff = DEFAULT_BACKOFF;
    private Duration maxBackoff = DEFAULT_MAX_BACKOFF;
    private @Nullable Duration timeout;

    private Builder() {}

    /**
     * 1 s to 10 years, default 72 h; longer than the lease. Too short, and a late copy runs the
     * effect again; too long costs memory: rate x retention x about 200 bytes.
     */
    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    /**
     * 100 ms to 1 h, default 30 s; at least three times the store's command time-out. Too short,
     * and a long pause of the holder makes its effect unknown; too long, and an effect waits that
     * long after its holder's crash.
     */
    public Builder lease(Duration lease) {
      this.lease = lease;
      return this;
    }

    /** Default RETRY. */
    public Builder onUnknown(OnUnknown onUnknown) {
      this.onUnknown = onUnknown;
      return this;
    }

    /** Default: see {@link EffectPolicy#secondCaller()}. */
    public Builder secondCaller(SecondCaller secondCaller) {
      this.secondCaller = secondCaller;
      return this;
    }

    /** Default WARN. */
    public Builder fingerprint(OnMismatch onMismatch) {
      this.onMismatch = onMismatch;
      return this;
    }

    /**
     * Default CLOSED. OPEN goes with RETRY only: it may run an effect twice, and the others promise
     * not to.
     */
    public Builder onStoreFailure(OnStoreFailure onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    /** 0 to 1 MiB in bytes, default 16 KiB. */
    public Builder receiptCap(int bytes) {
      this.receiptCap = bytes;
      return this;
    }

    /** 1 to 100, default 3; the first run counts. */
    public Builder maxAttempts(int maxAttempts) {
      this.maxAttempts = maxAttempts;
      return this;
    }

    /**
     * First and longest pause between the runs of one call, default 100 ms and 2 s; at most one
     * hour.
     */
    public Builder backoff(Duration first, Duration longest) {
      this.backoff = first;
      this.maxBackoff = longest;
      return this;
    }

    /**
     * 1 ms to 24 h, default none. With one, the code runs on the guard's executor instead of the
     * caller's thread.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /**
     * Checks everything and makes the policy.
     *
     * @throws IllegalArgumentException if a value is out of its range, or two contradict each
     *     other; the message names them
     */
    public EffectPolicy build() {
      range("retention", retention, Duration.ofSeconds(1), Duration.ofDays(3653));
      range("lease", lease, Duration.ofMillis(100), Duration.ofHours(1));
      range("backoff", backoff, Duration.ZERO, Duration.ofHours(1));
      range("maxBackoff", maxBackoff, backoff, Duration.ofHours(1));
      if (timeout != null) {
        range("timeout", timeout, Duration.ofMillis(1), Duration.ofHours(24));
      }
      range("receiptCap", receiptCap, 0, 1024 * 1024);
      range("maxAttempts", maxAttempts, 1, 100);
      requireNonNull(onUnknown, "onUnknown");
      requireNonNull(onMismatch, "fingerprint");
      requireNonNull(onStoreFailure, "onStoreFailure");
      if (retention.compareTo(lease) <= 0) {
        throw new IllegalArgumentException(
            "EffectPolicy has retention %s, not longer than its lease %s"
                .formatted(retention, lease));
      }
      if (onStoreFailure == OnStoreFailure.OPEN && onUnknown != OnUnknown.RETRY) {
        throw new IllegalArgumentException(
            "EffectPolicy has onStoreFailure OPEN with onUnknown %s: running unguarded breaks what %s promises; use RETRY"
                .formatted(onUnknown, onUnknown));
      }
      return new EffectPolicy(this);
    }

    private static void range(String option, Duration value, Duration least, Duration most) {
      requireNonNull(value, option);
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            "EffectPolicy has %s %s: allowed are %s to %s".formatted(option, value, least, most));
      }
    }

    private static void range(String option, int value, int least, int most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            "EffectPolicy has %s %d: allowed are %d to %d".formatted(option, value, least, most));
      }
    }
  }
}
