package io.idembox.demo;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;

/**
 * The event of a new order, as JSON in the {@code orders} topic under the type {@value #TYPE}.
 *
 * @param id the order's business id: the ledger row and the invoice mail are told apart by it
 * @param customer the mail address that the invoice goes to
 * @param amount the sum, with two decimals
 */
public record OrderCreated(String id, String customer, BigDecimal amount) {

  /** The value of the {@code event-type} header. */
  public static final String TYPE = "OrderCreated";

  /** Refuses an event with a part missing: it would become a ledger row that nobody can read. */
  public OrderCreated {
    requireNonNull(id, "id");
    requireNonNull(customer, "customer");
    requireNonNull(amount, "amount");
  }
}
