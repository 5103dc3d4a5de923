package io.idembox.effect.bench;

import com.sun.management.OperatingSystemMXBean;
import io.idembox.effect.EffectCall;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.RedisEffectStore;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an effect costs the processor, in this process and in Redis, as a consumer asks for it: four
 * threads with bulks of 256, all new and then all known; and one by one, by four threads. Seconds
 * of the processor hold on a busy machine too, where rates do not.
 */
final class CpuFigures {
  private static final int THREADS = 4;
  private static final int SIZE = 256;
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final RedisEffectStore store;
  private final PlainRedis plain;

  CpuFigures(RedisEffectStore store, PlainRedis plain) {
    this.store = store;
    this.plain = plain;
  }

  void measure(int bulks, Map<String, Object> figures) {
    Map<String, Object> out = new LinkedHashMap<>();
    try (EffectGuard guard = EffectGuard.builder(store).namespace("bench-cpu").build()) {

      run(guard, "warm-up", bulks, EffectOutcome.Kind.PERFORMED);
      out.put("bulkNew", run(guard, "bulk", bulks, EffectOutcome.Kind.PERFORMED));
      out.put("bulkKnown", run(guard, "bulk", bulks, EffectOutcome.Kind.REPLAYED));
      singles(guard, "warm-up-single", bulks / 16);
      out.put("single", singles(guard, "single", bulks / 8));
    }
    figures.put("processorMicrosPerEffect", out);
  }

  private Map<String, Object> run(
      EffectGuard guard, String operation, int bulks, EffectOutcome.Kind expected) {
    InvoiceEffect effect = new InvoiceEffect();
    return measured(
        (long) THREADS * bulks * SIZE,
        thread -> {
          for (int bulk = 0; bulk < bulks; bulk++) {
            List<EffectCall<Invoice>> calls = new ArrayList<>(SIZE);
            for (int i = 0; i < SIZE; i++) {
              long order = ((long) thread * bulks + bulk) * SIZE + i;
              calls.add(
                  EffectCall.first(
                      EffectKey.of(operation).id("order-" + order), new Invoice("order-9", i)));
            }
            for (EffectOutcome<?> outcome : guard.tryOnceAll(effect, calls)) {
              if (outcome.kind() != expected) {
                throw new IllegalStateException("Expected " + expected + ", got " + outcome);
              }
            }
          }
        });
  }

  private Map<String, Object> singles(EffectGuard guard, String operation, int bulks) {
    InvoiceEffect effect = new InvoiceEffect();
    int each = bulks * SIZE;
    return measured(
        (long) THREADS * each,
        thread -> {
          for (int i = 0; i < each; i++) {
            guard.once(
                effect,
                EffectKey.of(operation).id((long) thread * each + i),
                new Invoice("order-9", i));
          }
        });
  }

  private interface Caller {
    void run(int thread);
  }

  private Map<String, Object> measured(long effects, Caller caller) {
    long redis = plain.cpuMicros();
    long cpu = SYSTEM.getProcessCpuTime();
    long startedAt = System.nanoTime();
    plain.resetStatistics();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int number = t;
      threads.add(new Thread(() -> caller.run(number), "caller-" + t));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while measuring", e);
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("client", (SYSTEM.getProcessCpuTime() - cpu) / 1e3 / effects);
    out.put("redis", (double) (plain.cpuMicros() - redis) / effects);
    out.put("scripts", (double) plain.calls("evalsha") / effects);
    out.put("redisMicrosPerScript", plain.microsPerCall("evalsha"));
    out.put("perSecond", effects * 1e9 / (System.nanoTime() - startedAt));
    return out;
  }
}
