package io.idembox.runtime;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;

/** The mail that {@link Orders#book} asks for, to a test that wants to know whose it is. */
record MailEffect(OnUnknown onUnknown, Script script) implements Effect<Sink.Mail, String> {
  /** What performing does. */
  @FunctionalInterface
  interface Script {
    void perform(String orderId) throws Exception;
  }

  @Override
  public EffectName<Sink.Mail, String> name() {
    return Sink.MAIL;
  }

  @Override
  public EffectPolicy policy() {
    return EffectPolicy.builder()
        .lease(ScriptedEffect.LEASE)
        .maxAttempts(1)
        .onUnknown(onUnknown)
        .build();
  }

  @Override
  public String perform(Sink.Mail mail, EffectAttempt attempt) throws Exception {
    script.perform(mail.orderId());
    return "sent " + mail.orderId();
  }
}
