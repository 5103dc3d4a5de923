package io.idembox.demo;

import static io.idembox.demo.InvoiceMailEffect.INVOICE_MAIL;
import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.InboxMessage;

/**
 * Asks for an order's invoice mail under the same effect key as {@link BillingHandler}: an order
 * whose invoice went out gets no second one, though this message is new. Thread-safe.
 */
public final class InvoiceRequestHandler implements InboxHandler<InvoiceRequested> {
  @Override
  public void handle(InboxMessage<InvoiceRequested> message, InboxTransaction tx) {
    InvoiceRequested request = requireNonNull(message.value());
    tx.effects()
        .afterCommit(
            INVOICE_MAIL,
            EffectKey.of("mail.invoice").id(request.orderId()),
            new InvoiceMail(request));
  }
}
