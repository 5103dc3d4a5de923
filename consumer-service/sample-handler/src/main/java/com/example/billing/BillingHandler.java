package com.example.billing;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.InboxMessage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.math.BigDecimal;

/** Books an order and asks for its invoice. Used by several threads at once. */
public final class BillingHandler implements InboxHandler<OrderCreated> {
  /** The section {@code config} of the subscription. An unknown or missing key refuses the start. */
  public record Config(String currency) {}

  private final String currency;
  private final Counter booked;

  /** The service fills in what a constructor asks for. */
  public BillingHandler(Config config, MeterRegistry meters) {
    this.currency = config.currency();
    this.booked = meters.counter("billing.orders");
  }

  @Override
  public void handle(InboxMessage<OrderCreated> message, InboxTransaction tx) {
    if (message.isTombstone()) {
      return;
    }
    OrderCreated order = message.value();
    // In the transaction of the inbox row: both are committed, or neither.
    tx.handle()
        .execute(
            "insert into ledger (order_id, amount, currency) values (?, ?, ?)",
            order.id(),
            order.amount(),
            currency);
    // After the commit, once per order, however often and by which message it is asked for.
    tx.effects()
        .afterCommit(
            InvoiceEffect.NAME,
            EffectKey.of("invoice").id(order.id()),
            new Invoice(order.id(), order.customer(), order.amount(), currency));
    booked.increment();
  }
}
