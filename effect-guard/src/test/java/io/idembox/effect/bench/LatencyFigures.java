package io.idembox.effect.bench;

import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.RedisEffectStore;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * One caller: claim, an effect that does nothing, complete; and the replay of a receipt. Blocks of
 * each take turns.
 */
final class LatencyFigures {
  private static final int BLOCK = 500;
  private static final int WARM_UP_BLOCKS = 20;
  private static final Invoice REQUEST = new Invoice("order-9", 1_000);
  private static final double REFERENCE_CHECK_MICROS = 2_000;

  private final RedisEffectStore store;
  private final PlainRedis plain;

  LatencyFigures(RedisEffectStore store, PlainRedis plain) {
    this.store = store;
    this.plain = plain;
  }

  void measure(int blocks, Map<String, Object> figures) {
    InvoiceEffect effect = new InvoiceEffect();
    EffectPolicy policy = EffectPolicy.defaults();
    Samples pair = new Samples(blocks);
    Samples guarded = new Samples(blocks);
    Samples lambda = new Samples(blocks);
    Samples get = new Samples(blocks);
    Samples replay = new Samples(blocks);
    try (EffectGuard guard = EffectGuard.builder(store).namespace("bench-latency").build()) {
      for (int block = -WARM_UP_BLOCKS; block < blocks; block++) {
        long first = (block + WARM_UP_BLOCKS) * (long) BLOCK;
        pair.block(block, first, plain::pair);
        guarded.block(
            block, first, n -> guard.once(effect, EffectKey.of("bench.invoice").id(n), REQUEST));
        lambda.block(
            block,
            first,
            n ->
                guard.once(
                    policy,
                    EffectKey.of("bench.lambda").id(n),
                    InvoiceReceipt.class,
                    a -> InvoiceReceipt.SIXTY));
        get.block(block, first, plain::get);
        replay.block(
            block, first, n -> guard.once(effect, EffectKey.of("bench.invoice").id(n), REQUEST));
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("plainPairP50", pair.micros(50));
    out.put("guardP50", guarded.micros(50));
    out.put("guardLambdaP50", lambda.micros(50));
    out.put("ratioP50", guarded.micros(50) / pair.micros(50));
    out.put("ratioLambdaP50", lambda.micros(50) / pair.micros(50));
    out.put("plainPairP99", pair.micros(99));
    out.put("guardP99", guarded.micros(99));
    out.put("plainGetP50", get.micros(50));
    out.put("replayP50", replay.micros(50));
    out.put("replayRatioP50", replay.micros(50) / get.micros(50));
    out.put("referenceArticleCheck", REFERENCE_CHECK_MICROS);
    out.put("samples", blocks * BLOCK);
    figures.put("oneCallerMicros", out);
  }

  private static final class Samples {
    private final long[] nanos;

    Samples(int blocks) {
      nanos = new long[blocks * BLOCK];
    }

    void block(int block, long first, LongConsumer call) {
      for (int i = 0; i < BLOCK; i++) {
        long startedAt = System.nanoTime();
        call.accept(first + i);
        long took = System.nanoTime() - startedAt;
        if (block >= 0) {
          nanos[block * BLOCK + i] = took;
        }
      }
    }

    double micros(int percentile) {
      long[] sorted = nanos.clone();
      Arrays.sort(sorted);
      return sorted[(int) (sorted.length * (percentile / 100.0))] / 1_000.0;
    }
  }
}
