package io.idembox.effect.bench;

import io.idembox.effect.EffectCall;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.RedisEffectStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bulks of 500: all new, beside as many single calls; all known, beside a bare MGET. Rounds of each
 * take turns.
 */
final class BulkFigures {
  private static final int SIZE = 500;
  private static final int WARM_UP_ROUNDS = 20;

  private final RedisEffectStore store;
  private final PlainRedis plain;

  BulkFigures(RedisEffectStore store, PlainRedis plain) {
    this.store = store;
    this.plain = plain;
  }

  void measure(int rounds, Map<String, Object> figures) {
    InvoiceEffect effect = new InvoiceEffect();
    long single = 0;
    long bulk = 0;
    long known = 0;
    long mget = 0;
    byte[][] plainKeys = new byte[SIZE][];
    for (int i = 0; i < SIZE; i++) {
      plainKeys[i] = PlainRedis.key(10_000_000L + i);
      plain.pair(10_000_000L + i);
    }
    try (EffectGuard guard = EffectGuard.builder(store).namespace("bench-bulk").build()) {
      for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
        int number = round + WARM_UP_ROUNDS;
        long t0 = System.nanoTime();
        for (int i = 0; i < SIZE; i++) {
          guard.once(
              effect,
              EffectKey.of("bench.single").id("order-" + (number * SIZE + i)),
              new Invoice("order-9", i));
        }
        long t1 = System.nanoTime();
        expect(guard.tryOnceAll(effect, calls("bench.bulk", number)), EffectOutcome.Kind.PERFORMED);
        long t2 = System.nanoTime();
        expect(guard.tryOnceAll(effect, calls("bench.bulk", number)), EffectOutcome.Kind.REPLAYED);
        long t3 = System.nanoTime();
        if (plain.mget(plainKeys) != SIZE) {
          throw new IllegalStateException("MGET did not answer all keys");
        }
        long t4 = System.nanoTime();
        if (round >= 0) {
          single += t1 - t0;
          bulk += t2 - t1;
          known += t3 - t2;
          mget += t4 - t3;
        }
      }
    }
    double calls = rounds * (double) SIZE;
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("singleCallsPerSecond", calls / single * 1e9);
    out.put("bulkCallsPerSecond", calls / bulk * 1e9);
    out.put("bulkOverSingle", (double) single / bulk);
    out.put("knownCallsPerSecond", calls / known * 1e9);
    out.put("bareMgetKeysPerSecond", calls / mget * 1e9);
    out.put("knownOverMget", (double) mget / known);
    out.put("size", SIZE);
    out.put("rounds", rounds);
    figures.put("bulk", out);
  }

  private static List<EffectCall<Invoice>> calls(String operation, int round) {
    List<EffectCall<Invoice>> calls = new ArrayList<>(SIZE);
    for (int i = 0; i < SIZE; i++) {
      calls.add(
          EffectCall.first(
              EffectKey.of(operation).id("order-" + (round * SIZE + i)),
              new Invoice("order-9", i)));
    }
    return calls;
  }

  private static void expect(List<? extends EffectOutcome<?>> outcomes, EffectOutcome.Kind kind) {
    for (EffectOutcome<?> outcome : outcomes) {
      if (outcome.kind() != kind) {
        throw new IllegalStateException("Expected " + kind + ", got " + outcome);
      }
    }
  }
}
