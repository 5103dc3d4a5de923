package io.idembox.benchmarks;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;

/** An effect that does nothing but count, after a pause where the workload asks for one. */
final class BenchEffect implements Effect<BenchEffect.Request, String> {
  static final EffectName<Request, String> NAME =
      EffectName.of("bench-notice", Request.class, String.class);

  private final Setting setting;

  /** What the effect is asked for. */
  record Request(String orderId, long amountCents) {}

  BenchEffect(Setting setting) {
    this.setting = setting;
  }

  @Override
  public EffectName<Request, String> name() {
    return NAME;
  }

  @Override
  public String perform(Request request, EffectAttempt attempt) throws InterruptedException {
    setting.performEffect();
    return "receipt-" + request.orderId();
  }
}
