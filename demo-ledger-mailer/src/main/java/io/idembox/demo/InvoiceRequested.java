package io.idembox.demo;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;

/**
 * The event of somebody who asks for an order's invoice, as JSON under the type {@value #TYPE}. It
 * is another message than the order's, with a message id of its own, but it asks for the same mail.
 *
 * @param orderId the order's business id
 * @param customer the mail address that the invoice goes to
 * @param amount the sum, with two decimals
 */
public record InvoiceRequested(String orderId, String customer, BigDecimal amount) {

  /** The value of the {@code event-type} header. */
  public static final String TYPE = "InvoiceRequested";

  /** Refuses an event with a part missing. */
  public InvoiceRequested {
    requireNonNull(orderId, "orderId");
    requireNonNull(customer, "customer");
    requireNonNull(amount, "amount");
  }
}
