package io.idembox.benchmarks;

import io.idembox.effect.EffectCall;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.RedisEffectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Look-ups of known effect keys, with no consumer around them. */
final class GuardPasses implements Passes {
  /** The replay of the reference article. */
  private static final int ARTICLE_KEYS = 338_400;

  private static final int BULK = 500;
  // One by one, all of them take a minute a pass; what a key costs is the same for a part of them.
  private static final int ONE_BY_ONE = 20_000;

  private final int keys;
  private final Setting setting;
  private final Runs runs;

  /** Goes through keys, numbered from 0; says how many effects ran. */
  private interface Runs extends AutoCloseable {
    /** Makes all of them known. */
    void prepare(int keys);

    /** Asks for each. */
    long run(int keys);

    /** How many of them a pass asks for. */
    int keysOfPass(int keys);

    @Override
    void close();
  }

  private GuardPasses(int keys, Setting setting, Runs runs) {
    this.keys = keys;
    this.setting = setting;
    this.runs = runs;
  }

  static GuardPasses of(Job job) {
    Setting setting =
        new Setting(
            job.bootstrapServers(),
            job.jdbcUrl(),
            job.redisUri(),
            job.workload().topic().topicName(),
            job.workload() + "-" + job.contender(),
            "group",
            EffectMode.ONCE,
            new LongAdder());
    int keys = (int) Math.min(ARTICLE_KEYS, job.orders() * 2L);
    return new GuardPasses(
        keys, setting, job.contender().isIdembox() ? new Bulks(setting) : new Singles(setting));
  }

  @Override
  public void prepare() {
    runs.prepare(keys);
  }

  @Override
  public Pass next() {
    long before = setting.performed().sum();
    int asked = runs.keysOfPass(keys);
    Moment begin = Moment.now();
    long performed = runs.run(asked);
    Moment end = Moment.now();
    if (performed != 0 || setting.performed().sum() != before) {
      throw new BenchmarkException(performed + " effects ran though all keys were known");
    }
    return Pass.between(begin, end, asked);
  }

  @Override
  public void close() {
    runs.close();
  }

  private static final class Bulks implements Runs {
    private final BenchEffect effect;
    private final RedisEffectStore store;
    private final EffectGuard guard;

    Bulks(Setting setting) {
      this.effect = new BenchEffect(setting);
      this.store = RedisEffectStore.connect(setting.redisUri());
      this.guard = EffectGuard.builder(store).namespace(setting.name()).build();
    }

    @Override
    public void prepare(int keys) {
      long performed = run(keys);
      if (performed != keys) {
        throw new BenchmarkException(performed + " effects ran for " + keys + " new keys");
      }
    }

    @Override
    public int keysOfPass(int keys) {
      return keys;
    }

    @Override
    public long run(int keys) {
      long performed = 0;
      for (int from = 0; from < keys; from += BULK) {
        List<EffectCall<BenchEffect.Request>> calls = new ArrayList<>(BULK);
        for (int n = from; n < Math.min(keys, from + BULK); n++) {
          String order = "order-" + n;
          calls.add(
              EffectCall.first(
                  EffectKey.of("bench.notice").id(order), new BenchEffect.Request(order, n)));
        }
        for (EffectOutcome<String> outcome : guard.tryOnceAll(effect, calls)) {
          if (outcome.kind() == EffectOutcome.Kind.PERFORMED) {
            performed++;
          } else if (outcome.kind() != EffectOutcome.Kind.REPLAYED) {
            throw new BenchmarkException("The guard answered " + outcome);
          }
        }
      }
      return performed;
    }

    @Override
    public void close() {
      guard.close();
      store.close();
    }
  }

  private static final class Singles implements Runs {
    private final SetNxGuard guard;

    Singles(Setting setting) {
      this.guard = new SetNxGuard(setting);
    }

    @Override
    public void prepare(int keys) {
      for (int from = 0; from < keys; from += BULK) {
        List<String> ids = new ArrayList<>(BULK);
        for (int n = from; n < Math.min(keys, from + BULK); n++) {
          ids.add("order-" + n);
        }
        guard.markDone(ids);
      }
    }

    @Override
    public int keysOfPass(int keys) {
      return Math.min(keys, ONE_BY_ONE);
    }

    @Override
    public long run(int keys) {
      long performed = 0;
      for (int n = 0; n < keys; n++) {
        performed += guard.once("order-" + n) ? 1 : 0;
      }
      return performed;
    }

    @Override
    public void close() {
      guard.close();
    }
  }
}
