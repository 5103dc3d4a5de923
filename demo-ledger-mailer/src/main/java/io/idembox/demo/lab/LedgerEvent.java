package io.idembox.demo.lab;

import static java.util.Objects.requireNonNull;

import io.idembox.demo.InvoiceMail;
import java.math.BigDecimal;

/**
 * An event of the topic that is migrated, as JSON.
 *
 * @param id the order's business id
 * @param customer a mail address
 * @param amount the sum, with two decimals
 * @param invoice whether the order is billed by mail
 */
public record LedgerEvent(String id, String customer, BigDecimal amount, boolean invoice) {
  private static final int CUSTOMERS = 50;

  /** Refuses an event with a part missing. */
  public LedgerEvent {
    requireNonNull(id, "id");
    requireNonNull(customer, "customer");
    requireNonNull(amount, "amount");
  }

  /** The event of this number. */
  static LedgerEvent of(int number, boolean invoice) {
    return new LedgerEvent(
        "order-%06d".formatted(number),
        "customer-%02d@shop.example".formatted(number % CUSTOMERS),
        BigDecimal.valueOf(number + 100L, 2),
        invoice);
  }

  InvoiceMail mail() {
    return new InvoiceMail(id, customer, amount);
  }
}
