package io.idembox.demo;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What is needed to send one invoice. Both events lead to an equal request, so whichever comes
 * first, the mail reads the same.
 *
 * @param orderId the order's business id
 * @param recipient the customer's mail address
 * @param amount the sum, with two decimals
 */
public record InvoiceMail(String orderId, String recipient, BigDecimal amount) {

  /**
   * Brings the sum to two decimals.
   *
   * @throws ArithmeticException if that would round it
   */
  public InvoiceMail {
    requireNonNull(orderId, "orderId");
    requireNonNull(recipient, "recipient");
    amount = amount.setScale(2, RoundingMode.UNNECESSARY);
  }

  /** The invoice of a new order. */
  public InvoiceMail(OrderCreated order) {
    this(order.id(), order.customer(), order.amount());
  }

  /** The invoice that somebody asks for. */
  public InvoiceMail(InvoiceRequested request) {
    this(request.orderId(), request.customer(), request.amount());
  }

  /** The mail's text. */
  public String text() {
    return "Please pay " + amount.toPlainString() + " for " + orderId + ".";
  }
}
