package io.idembox.benchmarks;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** What the records hold. Each number has its own order, the same in every run and topic. */
record Order(
    String orderId,
    String customerId,
    long amountCents,
    String currency,
    String createdAt,
    String note) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final ObjectReader READER = JSON.readerFor(Order.class);

  /** When the first time-ordered id was made; no older row has a later one. */
  static final long FIRST_ID_MS = 1_790_000_000_000L;

  static final int IDS_IN_A_MS = 100;
  private static final String NOTE =
      "Deliver to the back door, ring twice, and leave the parcel with the neighbours if nobody opens";

  static Order number(long number) {
    return new Order(
        "order-%08d".formatted(number),
        "customer-%04d".formatted(number % 5_000),
        amount(number),
        "EUR",
        "2026-11-30T12:00:00Z",
        NOTE);
  }

  static long amount(long number) {
    return number % 9_973 + 1;
  }

  /** A random-looking id of version 4, as most producers make them. */
  static UUID id(long number) {
    long high = (mix(number * 2 + 1) & 0xFFFFFFFFFFFF0FFFL) | 0x4000L;
    long low = (mix(number * 2 + 2) & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low);
  }

  /** An id of version 7, a hundred in each millisecond. */
  static UUID timeOrderedId(long number) {
    long high = (FIRST_ID_MS + number / IDS_IN_A_MS) << 16 | 0x7000L | mix(number * 2 + 1) >>> 52;
    long low = (mix(number * 2 + 2) & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low);
  }

  /** The finalizer of SplitMix64: each number has its own result. */
  private static long mix(long number) {
    long z = number * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  byte[] json() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As each contender but Idembox decodes it; Idembox has a decoder of its own. */
  static Order of(byte[] json) {
    try {
      return READER.readValue(json);
    } catch (IOException e) {
      throw new UncheckedIOException(new String(json, StandardCharsets.UTF_8), e);
    }
  }
}
