package com.example.billing;

import java.math.BigDecimal;

/** What the effect is asked for; it is kept in the effect journal as JSON until it is done. */
public record Invoice(String orderId, String customer, BigDecimal amount, String currency) {}
