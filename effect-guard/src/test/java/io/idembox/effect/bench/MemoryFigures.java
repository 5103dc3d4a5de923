package io.idembox.effect.bench;

import io.idembox.effect.EffectId;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectToken;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.effect.RedisEffectStore;
import io.idembox.effect.Settlement;
import io.idembox.effect.StoreCommand;
import io.idembox.effect.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Used memory per settled effect with a 60-byte receipt and a retention. */
final class MemoryFigures {
  private static final int BATCH = 1_000;
  private static final int RECEIPT_BYTES = 60;

  private final RedisEffectStore store;
  private final PlainRedis plain;

  MemoryFigures(RedisEffectStore store, PlainRedis plain) {
    this.store = store;
    this.plain = plain;
  }

  void measure(int keys, Map<String, Object> figures) {
    byte[] receipt;
    try {
      receipt = new JsonEffectCodec().encode(InvoiceReceipt.SIXTY);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    if (receipt.length != RECEIPT_BYTES) {
      throw new IllegalStateException(
          "The receipt takes " + receipt.length + " bytes instead of " + RECEIPT_BYTES);
    }
    plain.flush();
    long before = plain.usedMemory();
    for (int from = 0; from < keys; from += BATCH) {
      List<StoreCommand> batch = new ArrayList<>(BATCH);
      for (int i = from; i < from + BATCH; i++) {
        batch.add(
            new StoreCommand.Settle(
                EffectId.of("bench-memory", EffectKey.of("bench.memory").id(i)),
                EffectToken.fresh(),
                Settlement.done(receipt, i | 1, Duration.ofDays(3))));
      }
      for (CompletionStage<StoreReply> reply : store.applyAll(batch)) {
        reply.toCompletableFuture().join();
      }
    }
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("keys", keys);
    out.put("receiptBytes", RECEIPT_BYTES);
    out.put("usedBytesPerKey", (plain.usedMemory() - before) / (double) keys);
    figures.put("memory", out);
  }
}
