package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs each effect once per key, whoever asks and however often.
 *
 * <p>A call claims its key in the store, runs the code, and stores the receipt; while that record
 * is kept, later callers get the receipt and nothing runs. What this holds on: the store keeps its
 * record for the retention, and, under {@link OnUnknown#RETRY}, no holder is frozen for longer than
 * its lease. After a crash the effect is in doubt, and its policy says what then.
 *
 * <p>Thread-safe. {@code once} and {@code tryOnce} run the code on the calling thread, unless the
 * policy has a time-out; a bulk runs it on the guard's executor.
 */
public final class EffectGuard implements AutoCloseable {
  /**
   * How long a second caller of {@code once} and {@code tryOnce} waits if its policy does not say.
   */
  public static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

  private static final Duration CLOSE_POLL = Duration.ofMillis(5);

  private final GuardParts parts;
  private final EffectIds ids;
  private final EffectRunner runner;
  private final Outcomes outcomes;
  private final EffectBulk bulk;
  private final MarkerWatch marker;
  private final Duration closeTimeout;
  private final @Nullable GuardExecutor ownExecutor;
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean closed;

  private EffectGuard(Builder b) {
    String namespace = requireNonNull(b.namespace);
    ids = new EffectIds(namespace);
    EffectStore store = b.store;
    ownExecutor = b.executor == null ? new GuardExecutor("effect-" + namespace) : null;
    EffectMetrics metrics = SafeMetrics.of(b.metrics);
    Executor executor = b.executor != null ? b.executor : requireNonNull(ownExecutor);
    LeaseKeeper leases = new LeaseKeeper(store, metrics, b.ticker, executor);
    Afterwork afterwork = new Afterwork(store);
    marker = new MarkerWatch(store, namespace, metrics, b.ticker);
    parts =
        new GuardParts(
            namespace,
            b.owner,
            b.codec,
            metrics,
            b.keyFormat,
            b.ticker,
            executor,
            new Semaphore(b.concurrency, true),
            new StoreCalls(store, metrics),
            leases,
            afterwork,
            new GuardTimer("effect-guard-" + namespace, leases, afterwork, marker));
    outcomes = new Outcomes(parts);
    runner = new EffectRunner(parts, outcomes, () -> closed);
    bulk = new EffectBulk(parts, runner, outcomes, () -> closed);
    closeTimeout = b.closeTimeout;
    parts.timer().start();
    GuardTimer timer = parts.timer();
    store.onReconnect(timer::hurry);
  }

  /** Starts a guard on a store, which stays the caller's to close, after the guard. */
  public static Builder builder(EffectStore store) {
    return new Builder(store);
  }

  /**
   * Performs an effect, or gives the receipt of the run that did.
   *
   * @return the receipt
   * @throws EffectNotPerformedException if it surely did not happen; try again later
   * @throws EffectRejectedException if it was refused for good, now or earlier
   * @throws EffectInProgressException if another holds the key for longer than the policy waits
   * @throws EffectInDoubtException if nobody knows whether it happened; the cause is what the code
   *     threw
   * @throws EffectMismatchException if the key was used with another request and the policy says
   *     REJECT
   * @throws EffectStoreException if the store failed or the guard is closed; nothing ran
   * @throws EffectReceiptException if it is done, and the receipt cannot be had
   * @throws EffectRecordUnreadableException if the record is damaged or newer than this release;
   *     nothing ran
   * @throws EffectInterruptedException if the thread was interrupted before the start; nothing ran
   * @throws IllegalArgumentException if the policy does not fit the effect or the store
   */
  public <Q, R> @Nullable R once(Effect<Q, R> effect, EffectKey key, Q request) {
    return outcomes.receipt(tryOnce(effect, key, request));
  }

  /**
   * The lambda form: as {@link #once(Effect, EffectKey, Object)}, without a request to compare.
   *
   * @throws IllegalArgumentException if the policy says {@link OnUnknown#RESOLVE}, which needs a
   *     {@link ResolvableEffect}
   */
  public <R> @Nullable R once(
      EffectPolicy policy, EffectKey key, Class<R> receiptType, EffectCode<R> code) {
    return outcomes.receipt(tryOnce(policy, key, receiptType, code));
  }

  /**
   * As {@link #once(Effect, EffectKey, Object)}, with the outcome as a value.
   *
   * @throws EffectStoreException if the store failed or the guard is closed; nothing ran
   * @throws EffectInterruptedException if the thread was interrupted before the start; nothing ran
   * @throws IllegalArgumentException if the policy does not fit the effect or the store
   */
  public <Q, R> EffectOutcome<R> tryOnce(Effect<Q, R> effect, EffectKey key, Q request) {
    EffectPolicy policy = checked(effect);
    return run(call(effect, policy, EffectCall.first(key, request), wait(policy, DEFAULT_WAIT)));
  }

  /**
   * As {@link #once(EffectPolicy, EffectKey, Class, EffectCode)}, with the outcome as a value.
   *
   * @throws EffectStoreException if the store failed or the guard is closed; nothing ran
   */
  public <R> EffectOutcome<R> tryOnce(
      EffectPolicy policy, EffectKey key, Class<R> receiptType, EffectCode<R> code) {
    if (policy.onUnknown() == OnUnknown.RESOLVE) {
      throw new IllegalArgumentException(
          "A lambda cannot be asked whether it happened: RESOLVE needs a ResolvableEffect");
    }
    checkLease(policy, key.operation());
    EffectId id = ids.of(key);
    return run(
        new GuardedCall<>(
            key.operation(),
            policy,
            key,
            id,
            receiptType,
            code,
            null,
            0,
            1,
            false,
            wait(policy, DEFAULT_WAIT)));
  }

  /**
   * Performs many effects: those that are done are found by one look-up, the others run side by
   * side up to the guard's concurrency, each claimed as it starts. Calls of one key run in their
   * order. An interrupt starts nothing more, and waits for what runs.
   *
   * @return one outcome per call, in the calls' order; a call's failure, the store's included, is
   *     its outcome
   * @throws IllegalArgumentException if the policy does not fit the effect or the store
   * @throws IllegalStateException if effect code calls it: a bulk would wait for places that the
   *     effects around it hold
   */
  public <Q, R> List<EffectOutcome<R>> tryOnceAll(Effect<Q, R> effect, List<EffectCall<Q>> calls) {
    String around = InsideEffect.operation();
    if (around != null) {
      throw new IllegalStateException(
          "A bulk of effect '%s' was asked for by the code of effect '%s', and would wait for places that it holds: ask before or after it, or one by one"
              .formatted(effect.name().name(), around));
    }
    EffectPolicy policy = checked(effect);
    Duration wait = wait(policy, Duration.ZERO);
    List<EffectBulk.Slot<R>> slots = new ArrayList<>(calls.size());
    for (EffectCall<Q> call : calls) {
      slots.add(slot(effect, policy, call, wait));
    }
    running.incrementAndGet();
    try {
      return bulk.run(effect.name().name(), slots);
    } finally {
      running.decrementAndGet();
    }
  }

  /** What people do: see what is in doubt, decide about it, forget. */
  public EffectOperations operations() {
    return new EffectOperations(parts, ids);
  }

  /**
   * Asks the store about everything that would break a promise, its marker included; waits for the
   * answers. A service prints the findings, and refuses to start on one that is an error.
   *
   * @throws EffectStoreException if the store cannot be asked
   */
  public List<StoreFinding> check() {
    List<StoreFinding> findings = new ArrayList<>(parts.calls().store().check());
    marker.seen(
        parts.calls().awaitUninterruptibly(parts.calls().store().marker(parts.namespace())));
    findings.addAll(marker.findings());
    return findings;
  }

  public String namespace() {
    return parts.namespace();
  }

  /**
   * Starts no new effect, and waits for those that run and for what the store has not taken yet, up
   * to the close time-out. Idempotent. The store stays open.
   */
  @Override
  public void close() {
    closed = true;
    long giveUp = System.nanoTime() + closeTimeout.toNanos();
    while (busy() && giveUp - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, CLOSE_POLL.toNanos());
    }
    parts.timer().stop();
    if (ownExecutor != null) {
      ownExecutor.close();
    }
  }

  private boolean busy() {
    return running.get() > 0 || !parts.leases().idle() || !parts.afterwork().idle();
  }

  private <R> EffectOutcome<R> run(GuardedCall<R> call) {
    running.incrementAndGet();
    try {
      if (closed) {
        throw closedException(parts.namespace());
      }
      return runner.run(call);
    } finally {
      running.decrementAndGet();
    }
  }

  static EffectStoreException closedException(String namespace) {
    return new EffectStoreException(
        EffectStoreException.Kind.CLOSED,
        "EffectGuard '" + namespace + "' is closed: nothing was run",
        null);
  }

  private <Q, R> EffectPolicy checked(Effect<Q, R> effect) {
    EffectCatalog.checkResolver(effect);
    EffectPolicy policy = effect.policy();
    checkLease(policy, effect.name().name());
    return policy;
  }

  private void checkLease(EffectPolicy policy, String effect) {
    Duration command = parts.calls().store().commandTimeout();
    // In nanoseconds: Duration multiplies through BigDecimal, which takes longer than the rest of
    // the checks.
    if (policy.lease().toNanos() < 3 * command.toNanos()) {
      throw new IllegalArgumentException(
          "Effect '%s' has lease %s, shorter than three command time-outs (%s) of the store: it could not be renewed in time"
              .formatted(effect, policy.lease(), command));
    }
  }

  private static Duration wait(EffectPolicy policy, Duration unset) {
    return policy.secondCaller().map(SecondCaller::limit).orElse(unset);
  }

  private <Q, R> EffectBulk.Slot<R> slot(
      Effect<Q, R> effect, EffectPolicy policy, EffectCall<Q> call, Duration wait) {
    try {
      return EffectBulk.Slot.of(call(effect, policy, call, wait));
    } catch (EffectNotPerformedException e) {
      return EffectBulk.Slot.ended(new EffectOutcome.NotPerformed<>(call.key(), e));
    }
  }

  private <Q, R> GuardedCall<R> call(
      Effect<Q, R> effect, EffectPolicy policy, EffectCall<Q> call, Duration wait) {
    EffectName<Q, R> name = effect.name();
    Q request = call.request();
    int fingerprint =
        policy.fingerprint() == OnMismatch.IGNORE
            ? 0
            : Fingerprints.of(parts.codec(), request, name.name(), () -> parts.shown(call.key()));
    GuardedCall.Resolver<R> resolver =
        policy.onUnknown() == OnUnknown.RESOLVE
                && effect instanceof ResolvableEffect<Q, R> resolvable
            ? attempt -> resolvable.resolve(request, attempt)
            : null;
    return new GuardedCall<>(
        name.name(),
        policy,
        call.key(),
        ids.of(call.key()),
        name.receiptType(),
        attempt -> effect.perform(request, attempt),
        resolver,
        fingerprint,
        call.attempt(),
        call.earlierAttemptUnknown(),
        wait);
  }

  /** Collects a guard's settings; not thread-safe. */
  public static final class Builder {
    /** Effects that a bulk runs at the same time. */
    public static final int DEFAULT_CONCURRENCY = 32;

    public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final EffectStore store;
    private @Nullable String namespace;
    private String owner = OwnerLabel.ofThisProcess();
    private EffectCodec codec = new JsonEffectCodec();
    private EffectMetrics metrics = EffectMetrics.NONE;
    private Function<EffectKey, String> keyFormat = EffectKey::toString;
    private LongSupplier ticker = System::nanoTime;
    private @Nullable Executor executor;
    private int concurrency = DEFAULT_CONCURRENCY;
    private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;

    private Builder(EffectStore store) {
      this.store = requireNonNull(store, "store");
    }

    /**
     * Required: guards of one namespace share their effects, others never meet. At most 200
     * characters.
     */
    public Builder namespace(String namespace) {
      this.namespace = namespace;
      return this;
    }

    /** Shown to callers who find a key held; default host name and process id. */
    public Builder owner(String owner) {
      this.owner = requireNonNull(owner, "owner");
      return this;
    }

    /** Default {@link JsonEffectCodec}. */
    public Builder codec(EffectCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /** Default {@link EffectMetrics#NONE}. */
    public Builder metrics(EffectMetrics metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /**
     * How keys are written in logs and messages; the place to redact. Default {@link
     * EffectKey#toString()}.
     */
    public Builder keyFormat(Function<EffectKey, String> keyFormat) {
      this.keyFormat = requireNonNull(keyFormat, "keyFormat");
      return this;
    }

    /**
     * The monotonic clock that leases are counted by, in nanoseconds; default {@link
     * System#nanoTime()}.
     */
    public Builder ticker(LongSupplier ticker) {
      this.ticker = requireNonNull(ticker, "ticker");
      return this;
    }

    /**
     * Runs bulks and runs with a time-out; stays the caller's to stop. Must not run tasks on the
     * submitting thread. Default: one of the guard's own, with virtual threads where the JVM has
     * them.
     */
    public Builder executor(Executor executor) {
      this.executor = executor;
      return this;
    }

    /**
     * 1 to 10,000, default 32: how many effects bulks of this guard run at the same time, together.
     */
    public Builder concurrency(int concurrency) {
      this.concurrency = concurrency;
      return this;
    }

    /** How long {@link EffectGuard#close()} waits, default 10 s. */
    public Builder closeTimeout(Duration closeTimeout) {
      this.closeTimeout = requireNonNull(closeTimeout, "closeTimeout");
      return this;
    }

    /**
     * Checks the settings and makes the guard. Asks the store nothing.
     *
     * @throws IllegalArgumentException if the namespace is missing, blank or too long, or a value
     *     is out of its range
     */
    public EffectGuard build() {
      if (namespace == null) {
        throw new IllegalArgumentException(
            "EffectGuard has no namespace: set one, unique to what shares its effects");
      }
      EffectKey.checked("namespace", namespace);
      if (namespace.length() > 200) {
        throw new IllegalArgumentException(
            "EffectGuard has a namespace of more than 200 characters");
      }
      if (concurrency < 1 || concurrency > 10_000) {
        throw new IllegalArgumentException(
            "EffectGuard has concurrency " + concurrency + ": allowed are 1 to 10000");
      }
      if (closeTimeout.isNegative()) {
        throw new IllegalArgumentException(
            "EffectGuard has closeTimeout " + closeTimeout + ": it must not be negative");
      }
      return new EffectGuard(this);
    }
  }
}
