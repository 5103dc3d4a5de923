package io.idembox.inbox;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectPolicy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The {@code once} effects that failed attempts of a message completed in this process. They go
 * with its dead letter into the journal, which a later retry asks first: the guard may have
 * forgotten them by then. Lost with the process; then the guard alone remembers.
 */
final class OnceMemory {
  /** Messages; the oldest goes first. A record that fails for long is dead-lettered long before. */
  private static final int REMEMBERED = 10_000;

  private final Map<UUID, Map<EffectKey, Completed>> byMessage = new LinkedHashMap<>();
  private volatile boolean any;

  /** One effect that happened. */
  record Completed(
      int message, String effect, EffectKey key, EffectPolicy policy, @Nullable Object receipt) {
    Completed with(@Nullable Object value) {
      return new Completed(message, effect, key, policy, value);
    }
  }

  void failed(List<InboxClaim> claims, List<Completed> completed) {
    if (completed.isEmpty()) {
      return;
    }
    synchronized (this) {
      any = true;
      for (Completed one : completed) {
        UUID id = claims.get(one.message()).messageId();
        byMessage.computeIfAbsent(id, k -> new LinkedHashMap<>()).put(one.key(), one);
      }
      while (byMessage.size() > REMEMBERED) {
        byMessage.remove(byMessage.keySet().iterator().next());
      }
    }
  }

  void succeeded(List<InboxClaim> claims, BitSet fresh) {
    if (!any) {
      return;
    }
    synchronized (this) {
      fresh.stream().forEach(i -> byMessage.remove(claims.get(i).messageId()));
      any = !byMessage.isEmpty();
    }
  }

  synchronized List<Completed> of(UUID messageId) {
    Map<EffectKey, Completed> completed = byMessage.get(messageId);
    return completed == null ? List.of() : new ArrayList<>(completed.values());
  }
}
