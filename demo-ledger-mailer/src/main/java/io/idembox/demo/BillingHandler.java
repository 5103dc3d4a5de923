package io.idembox.demo;

import static io.idembox.demo.InvoiceMailEffect.INVOICE_MAIL;
import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.InboxMessage;

/** Books each order and asks for its invoice mail. Thread-safe: it has no state. */
// readme:handler
public final class BillingHandler implements InboxHandler<OrderCreated> {
  @Override
  public void handle(InboxMessage<OrderCreated> message, InboxTransaction tx) {
    OrderCreated order = requireNonNull(message.value());
    tx.handle()
        .execute("insert into ledger(order_id, amount) values (?, ?)", order.id(), order.amount());
    tx.effects()
        .afterCommit(
            INVOICE_MAIL, EffectKey.of("mail.invoice").id(order.id()), new InvoiceMail(order));
  }
}
