package io.idembox.effect;

import java.util.function.Function;

/** A mail effect whose provider can be asked. */
final class ResolvableMailEffect extends MailEffect implements ResolvableEffect<Mail, Sent> {
  private final Function<EffectAttempt, Resolution<Sent>> provider;

  ResolvableMailEffect(Function<EffectAttempt, Resolution<Sent>> provider) {
    this.provider = provider;
    policy(EffectGuardContract.once().onUnknown(OnUnknown.RESOLVE).build());
  }

  @Override
  public Resolution<Sent> resolve(Mail request, EffectAttempt attempt) {
    return provider.apply(attempt);
  }
}
