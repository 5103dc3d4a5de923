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
 * One caller: claim, an effect that does nothing, complete; and the replay of a receipt. Small
 * blocks of each contender take turns, so that whatever else the machine does hits all alike; each
 * turn has its own medians and ratios, and the figures are the medians of those.
 */
final class LatencyFigures {
  private static final int BLOCK = 100;
  private static final int WARM_UP_TURNS = 100;
  private static final Invoice REQUEST = new Invoice("order-9", 1_000);
  private static final double REFERENCE_CHECK_MICROS = 2_000;

  private final RedisEffectStore store;
  private final PlainRedis plain;

  LatencyFigures(RedisEffectStore store, PlainRedis plain) {
    this.store = store;
    this.plain = plain;
  }

  void measure(int turns, Map<String, Object> figures) {
    InvoiceEffect effect = new InvoiceEffect();
    EffectPolicy policy = EffectPolicy.defaults();
    Samples pair = new Samples(turns);
    Samples bare = new Samples(turns);
    Samples guarded = new Samples(turns);
    Samples lambda = new Samples(turns);
    Samples get = new Samples(turns);
    Samples replay = new Samples(turns);
    try (EffectGuard guard = EffectGuard.builder(store).namespace("bench-latency").build()) {
      for (int turn = -WARM_UP_TURNS; turn < turns; turn++) {
        long first = (turn + WARM_UP_TURNS) * (long) BLOCK;
        pair.block(turn, first, plain::pair);
        bare.block(turn, first, plain::barePair);
        guarded.block(
            turn, first, n -> guard.once(effect, EffectKey.of("bench.invoice").id(n), REQUEST));
        lambda.block(
            turn,
            first,
            n ->
                guard.once(
                    policy,
                    EffectKey.of("bench.lambda").id(n),
                    InvoiceReceipt.class,
                    a -> InvoiceReceipt.SIXTY));
        get.block(turn, first, plain::get);
        replay.block(
            turn, first, n -> guard.once(effect, EffectKey.of("bench.invoice").id(n), REQUEST));
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("plainPairP50", pair.micros());
    out.put("barePairP50", bare.micros());
    out.put("guardP50", guarded.micros());
    out.put("guardLambdaP50", lambda.micros());
    out.put("ratioP50", guarded.over(pair, 50));
    out.put("ratioP50LowestQuarter", guarded.over(pair, 25));
    out.put("ratioP50HighestQuarter", guarded.over(pair, 75));
    out.put("ratioLambdaP50", lambda.over(pair, 50));
    out.put("ratioBareP50", guarded.over(bare, 50));
    out.put("ratioBareP50LowestQuarter", guarded.over(bare, 25));
    out.put("ratioBareP50HighestQuarter", guarded.over(bare, 75));
    out.put("plainPairP99", pair.all(99));
    out.put("guardP99", guarded.all(99));
    out.put("plainGetP50", get.micros());
    out.put("replayP50", replay.micros());
    out.put("replayRatioP50", replay.over(get, 50));
    out.put("referenceArticleCheck", REFERENCE_CHECK_MICROS);
    out.put("turns", turns);
    out.put("samplesPerTurn", BLOCK);
    figures.put("oneCallerMicros", out);
  }

  private static final class Samples {
    private final long[] nanos;
    private final double[] medians;

    Samples(int turns) {
      nanos = new long[turns * BLOCK];
      medians = new double[turns];
    }

    void block(int turn, long first, LongConsumer call) {
      long[] took = new long[BLOCK];
      for (int i = 0; i < BLOCK; i++) {
        long startedAt = System.nanoTime();
        call.accept(first + i);
        took[i] = System.nanoTime() - startedAt;
      }
      if (turn >= 0) {
        System.arraycopy(took, 0, nanos, turn * BLOCK, BLOCK);
        Arrays.sort(took);
        medians[turn] = took[BLOCK / 2];
      }
    }

    /** The median of the turns' medians. */
    double micros() {
      return percentile(medians, 50) / 1_000;
    }

    /** A percentile of the turns' ratios. */
    double over(Samples other, int percentile) {
      double[] ratios = new double[medians.length];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = medians[i] / other.medians[i];
      }
      return percentile(ratios, percentile);
    }

    double all(int percentile) {
      return percentile(Arrays.stream(nanos).asDoubleStream().toArray(), percentile) / 1_000;
    }

    private static double percentile(double[] values, int percentile) {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      return sorted[(int) (sorted.length * (percentile / 100.0))];
    }
  }
}
