package io.idembox.runtime;

import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.Resolution;
import io.idembox.effect.ResolvableEffect;
import java.time.Duration;

/** An effect that does what a test says, under the name that {@link Orders#book} asks for. */
record ScriptedEffect(EffectPolicy policy, Script script)
    implements ResolvableEffect<Sink.Mail, String> {
  /** Long enough for the store's command time-out. */
  static final Duration LEASE = Duration.ofSeconds(6);

  /** What performing does. */
  @FunctionalInterface
  interface Script {
    String perform(EffectAttempt attempt) throws Exception;
  }

  @Override
  public EffectName<Sink.Mail, String> name() {
    return Sink.MAIL;
  }

  @Override
  public String perform(Sink.Mail mail, EffectAttempt attempt) throws Exception {
    return script.perform(attempt);
  }

  @Override
  public Resolution<String> resolve(Sink.Mail mail, EffectAttempt attempt) {
    return Resolution.didNotHappen();
  }
}
