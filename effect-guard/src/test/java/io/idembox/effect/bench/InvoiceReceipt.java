package io.idembox.effect.bench;

import io.idembox.effect.ReceiptType;

/** A receipt that takes 60 bytes as {@code JsonEffectCodec} encodes it. */
@ReceiptType("invoice")
record InvoiceReceipt(String id, int code) {
  static final InvoiceReceipt SIXTY = new InvoiceReceipt("0123456789abcdef0123456789abcd", 250);
}
