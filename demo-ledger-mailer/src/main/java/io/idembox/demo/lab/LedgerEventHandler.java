package io.idembox.demo.lab;

import static java.util.Objects.requireNonNull;

import io.idembox.demo.InvoiceMailEffect;
import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.InboxMessage;

/** Books each event, and mails an invoice where one is wanted. Thread-safe: it has no state. */
public final class LedgerEventHandler implements InboxHandler<LedgerEvent> {
  static final String INSERT = "insert into ledger(order_id, amount) values (?, ?)";

  @Override
  public void handle(InboxMessage<LedgerEvent> message, InboxTransaction tx) {
    LedgerEvent event = requireNonNull(message.value());
    tx.enqueue(INSERT, event.id(), event.amount());
    if (event.invoice()) {
      tx.effects()
          .afterCommit(
              InvoiceMailEffect.INVOICE_MAIL,
              EffectKey.of("mail.invoice").id(event.id()),
              event.mail());
    }
  }
}
