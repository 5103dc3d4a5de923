package io.idembox.effect;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One walk over all keys, a few hundred a step, that brings abandoned claims in doubt. */
final class RedisSweep {
  private static final ScanArgs STEP = ScanArgs.Builder.limit(500);

  private final RedisEffectStore store;
  private final RedisLink link;
  private final String namespace;
  private final AtomicInteger moved = new AtomicInteger();
  private final CompletableFuture<Integer> result = new CompletableFuture<>();

  RedisSweep(RedisEffectStore store, RedisLink link, String namespace) {
    this.store = store;
    this.link = link;
    this.namespace = namespace;
  }

  CompletionStage<Integer> start() {
    try {
      next(List.copyOf(link.masters().values()), 0, ScanCursor.INITIAL);
    } catch (RedisException e) {
      result.completeExceptionally(RedisErrors.of(e, link.where()));
    }
    return result;
  }

  private void next(
      List<RedisClusterAsyncCommands<byte[], byte[]>> masters, int master, ScanCursor cursor) {
    var unused =
        masters
            .get(master)
            .scan(cursor, STEP)
            .thenCompose(page -> page(page).thenApply(done -> page))
            .whenComplete(
                (page, failure) -> {
                  if (failure != null) {
                    result.completeExceptionally(RedisErrors.of(failure, link.where()));
                  } else if (!page.isFinished()) {
                    next(masters, master, page);
                  } else if (master + 1 < masters.size()) {
                    next(masters, master + 1, ScanCursor.INITIAL);
                  } else {
                    result.complete(moved.get());
                  }
                });
  }

  private CompletionStage<Void> page(KeyScanCursor<byte[]> page) {
    List<byte[]> keys = new ArrayList<>();
    for (byte[] key : page.getKeys()) {
      if (RedisKeys.mayBeRecord(key)) {
        keys.add(key);
      }
    }
    if (keys.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return store.read(keys.toArray(byte[][]::new)).thenCompose(values -> end(keys, values));
  }

  private CompletionStage<Void> end(List<byte[]> keys, List<byte @Nullable []> values) {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      EffectId id = claimed(keys.get(i), values.get(i));
      if (id != null) {
        ends.add(
            store
                .apply(new StoreCommand.EndLease(id))
                .thenAccept(reply -> moved.addAndGet(reply.code() == StoreReply.Code.OK ? 1 : 0))
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
  }

  /**
   * The effect, if this is a claim of our namespace: then its own key gives the name under which it
   * stands.
   */
  private @Nullable EffectId claimed(byte[] key, byte @Nullable [] value) {
    EffectRecord record = value == null ? null : EffectRecord.decode(value);
    if (record == null || record.state() != EffectRecord.State.CLAIMED) {
      return null;
    }
    try {
      EffectId id = EffectId.of(namespace, EffectKey.fromCanonical(record.key));
      return Arrays.equals(RedisKeys.record(id.hash()), key) ? id : null;
    } catch (IllegalArgumentException e) {
      // Somebody else's value, or a damaged one.
      return null;
    }
  }
}
