package io.idembox.service;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.RebuildableEffect;
import io.idembox.effect.Resolution;
import io.idembox.effect.ResolvableEffect;
import org.jspecify.annotations.Nullable;

/** An effect under a policy of the configuration. */
class PolicyOverride<Q, R> implements Effect<Q, R> {
  private final Effect<Q, R> effect;
  private final EffectPolicy policy;

  private PolicyOverride(Effect<Q, R> effect, EffectPolicy policy) {
    this.effect = effect;
    this.policy = policy;
  }

  /** The same effect, under this policy; able to do what it can. */
  static <Q, R> Effect<Q, R> of(Effect<Q, R> effect, EffectPolicy policy) {
    if (effect instanceof ResolvableEffect<Q, R> resolvable) {
      return effect instanceof RebuildableEffect<Q, R> rebuildable
          ? new Both<>(resolvable, rebuildable, policy)
          : new Resolvable<>(resolvable, policy);
    }
    return effect instanceof RebuildableEffect<Q, R> rebuildable
        ? new Rebuildable<>(rebuildable, policy)
        : new PolicyOverride<>(effect, policy);
  }

  @Override
  public EffectName<Q, R> name() {
    return effect.name();
  }

  @Override
  public EffectPolicy policy() {
    return policy;
  }

  @Override
  public @Nullable R perform(Q request, EffectAttempt attempt) throws Exception {
    return effect.perform(request, attempt);
  }

  private static class Resolvable<Q, R> extends PolicyOverride<Q, R>
      implements ResolvableEffect<Q, R> {
    private final ResolvableEffect<Q, R> resolvable;

    private Resolvable(ResolvableEffect<Q, R> effect, EffectPolicy policy) {
      super(effect, policy);
      this.resolvable = effect;
    }

    @Override
    public Resolution<R> resolve(Q request, EffectAttempt attempt) throws Exception {
      return resolvable.resolve(request, attempt);
    }
  }

  private static final class Rebuildable<Q, R> extends PolicyOverride<Q, R>
      implements RebuildableEffect<Q, R> {
    private final RebuildableEffect<Q, R> rebuildable;

    private Rebuildable(RebuildableEffect<Q, R> effect, EffectPolicy policy) {
      super(effect, policy);
      this.rebuildable = effect;
    }

    @Override
    public @Nullable R receiptOnRebuild(EffectKey key, Q request) {
      return rebuildable.receiptOnRebuild(key, request);
    }
  }

  private static final class Both<Q, R> extends Resolvable<Q, R>
      implements RebuildableEffect<Q, R> {
    private final RebuildableEffect<Q, R> rebuildable;

    private Both(
        ResolvableEffect<Q, R> resolvable,
        RebuildableEffect<Q, R> rebuildable,
        EffectPolicy policy) {
      super(resolvable, policy);
      this.rebuildable = rebuildable;
    }

    @Override
    public @Nullable R receiptOnRebuild(EffectKey key, Q request) {
      return rebuildable.receiptOnRebuild(key, request);
    }
  }
}
