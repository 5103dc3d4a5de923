package io.idembox.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that every assigned partition either moves or has a stall with a name. What it finds has
 * no better name given by whoever holds the partition up. Used by the poll thread alone.
 */
final class Watchdog {
  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  // The others are cleared by whoever gives them.
  private static final Set<Stall.Reason> OWN =
      EnumSet.of(Stall.Reason.NOT_FETCHED, Stall.Reason.SLOW_WORK, Stall.Reason.OPEN_TRANSACTION);

  private final Consumer<?, ?> consumer;
  private final Duration limit;
  private final Map<TopicPartition, Sight> sights = new HashMap<>();

  /** How a partition stood when it last moved. */
  private record Sight(PartitionWork work, long position, long finished, long at) {}

  Watchdog(Consumer<?, ?> consumer, Duration limit) {
    this.consumer = consumer;
    this.limit = limit;
  }

  /** One step. */
  void look(Collection<HeldPartition> all) {
    Set<TopicPartition> paused = consumer.paused();
    for (HeldPartition held : all) {
      Sight now = sight(held);
      Sight before = sights.get(held.partition());
      if (before == null || hasMoved(before, now)) {
        sights.put(held.partition(), now);
        clearOwn(held);
      } else if (now.at() - before.at() >= limit.toNanos()) {
        judge(held, paused.contains(held.partition()));
      }
    }
  }

  /** These are not ours any more. */
  void ended(Collection<TopicPartition> partitions) {
    partitions.forEach(sights::remove);
  }

  private static Sight sight(HeldPartition held) {
    PartitionWork work = held.work();
    OffsetAndMetadata finished = work.offsets().finished();
    return new Sight(
        work,
        work.offsets().position(),
        finished == null ? -1 : finished.offset(),
        System.nanoTime());
  }

  private static boolean hasMoved(Sight before, Sight now) {
    return before.work() != now.work()
        || before.position() != now.position()
        || before.finished() != now.finished();
  }

  private static void clearOwn(HeldPartition held) {
    Stall stall = held.work().outerStall();
    if (stall != null && OWN.contains(stall.reason())) {
      held.moves();
    }
  }

  private void judge(HeldPartition held, boolean paused) {
    if (held.work().status().stall().isPresent()) {
      return;
    }
    Stall.Reason reason = reason(held, paused);
    if (reason != null) {
      held.stalled(reason, held.partition() + " has not moved for " + limit.toSeconds() + " s");
      log.warn("{} has not moved for {} s: {}", held.partition(), limit.toSeconds(), reason);
    }
  }

  private static Stall.@Nullable Reason reason(HeldPartition held, boolean paused) {
    if (!held.isReading()) {
      return Stall.Reason.OPENING;
    }
    PartitionWork work = held.work();
    if (work.queued() > 0) {
      return Stall.Reason.SLOW_WORK;
    }
    OffsetAndMetadata finished = work.offsets().finished();
    if (finished != null && finished.offset() > held.committed()) {
      return Stall.Reason.NOT_COMMITTED;
    }
    if (paused || work.status().lagRecords().orElse(0) > 0) {
      return Stall.Reason.NOT_FETCHED;
    }
    return work.unstable() > 0 ? Stall.Reason.OPEN_TRANSACTION : null;
  }
}
