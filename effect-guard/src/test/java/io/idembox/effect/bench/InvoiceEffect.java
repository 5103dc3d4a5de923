package io.idembox.effect.bench;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;

/** An effect that takes no time, so that only the guard's own is measured. */
final class InvoiceEffect implements Effect<Invoice, InvoiceReceipt> {
  private static final EffectName<Invoice, InvoiceReceipt> NAME =
      EffectName.of("bench-invoice", Invoice.class, InvoiceReceipt.class);

  @Override
  public EffectName<Invoice, InvoiceReceipt> name() {
    return NAME;
  }

  @Override
  public InvoiceReceipt perform(Invoice request, EffectAttempt attempt) {
    return InvoiceReceipt.SIXTY;
  }
}
