package io.idembox.inbox.example;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands for a mail server, and keeps what it was sent. */
final class InvoiceMail implements Effect<String, String> {
  static final EffectName<String, String> NAME =
      EffectName.of("invoice-mail", String.class, String.class);

  final List<String> sent = new CopyOnWriteArrayList<>();

  @Override
  public EffectName<String, String> name() {
    return NAME;
  }

  @Override
  public String perform(String order, EffectAttempt attempt) {
    sent.add(order);
    return attempt.providerKey();
  }
}
