package io.idembox.effect;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** An effect that counts its runs and fails as it is told. */
class MailEffect implements Effect<Mail, Sent> {
  static final EffectName<Mail, Sent> NAME = EffectName.of("invoice-mail", Mail.class, Sent.class);

  private final List<EffectAttempt> attempts = new CopyOnWriteArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger atOnce = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private volatile EffectPolicy policy = EffectPolicy.defaults();
  private volatile Function<Mail, Throwable> failing = request -> null;
  private volatile Duration slow = Duration.ZERO;

  MailEffect policy(EffectPolicy newPolicy) {
    policy = newPolicy;
    return this;
  }

  /** The next runs fail so, one after the other. */
  void then(Throwable... next) {
    failures.addAll(List.of(next));
  }

  void failing(Function<Mail, Throwable> byRequest) {
    failing = byRequest;
  }

  MailEffect slow(Duration duration) {
    slow = duration;
    return this;
  }

  int runs() {
    return attempts.size();
  }

  List<EffectAttempt> attempts() {
    return attempts;
  }

  int mostAtOnce() {
    return most.get();
  }

  @Override
  public EffectName<Mail, Sent> name() {
    return NAME;
  }

  @Override
  public EffectPolicy policy() {
    return policy;
  }

  @Override
  public Sent perform(Mail request, EffectAttempt attempt) throws Exception {
    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
    try {
      attempts.add(attempt);
      int run = attempts.size();
      if (!slow.isZero()) {
        LockSupport.parkNanos(slow.toNanos());
      }
      Throwable failure = failures.poll();
      failure = failure == null ? failing.apply(request) : failure;
      if (failure instanceof Error error) {
        throw error;
      } else if (failure != null) {
        throw (Exception) failure;
      }
      return new Sent("receipt-" + run);
    } finally {
      atOnce.decrementAndGet();
    }
  }
}
