package io.idembox.effect.bench;

import io.idembox.effect.EffectCall;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.RedisEffectStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bulks of 500: all new, beside as many single calls; all known, beside a bare MGET. They take
 * turns, and the figures are the medians of the rounds.
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
    double[] single = new double[rounds];
    double[] bulk = new double[rounds];
    double[] known = new double[rounds];
    double[] mget = new double[rounds];
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
          single[round] = t1 - t0;
          bulk[round] = t2 - t1;
          known[round] = t3 - t2;
          mget[round] = t4 - t3;
        }
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("singleCallsPerSecond", SIZE * 1e9 / median(single));
    out.put("bulkCallsPerSecond", SIZE * 1e9 / median(bulk));
    out.put("bulkOverSingle", median(ratios(single, bulk)));
    out.put("knownCallsPerSecond", SIZE * 1e9 / median(known));
    out.put("bareMgetKeysPerSecond", SIZE * 1e9 / median(mget));
    out.put("knownOverMget", median(ratios(mget, known)));
    out.put("size", SIZE);
    out.put("rounds", rounds);
    figures.put("bulk", out);
  }

  private static double[] ratios(double[] a, double[] b) {
    double[] ratios = new double[a.length];
    for (int i = 0; i < a.length; i++) {
      ratios[i] = a[i] / b[i];
    }
    return ratios;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
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
