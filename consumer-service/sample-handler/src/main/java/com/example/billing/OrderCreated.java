package com.example.billing;

import java.math.BigDecimal;

/** The value of a record, from its JSON. */
public record OrderCreated(String id, String customer, BigDecimal amount) {
  public OrderCreated {
    if (id == null || customer == null || amount == null) {
      throw new IllegalArgumentException("An order needs id, customer and amount");
    }
  }
}
