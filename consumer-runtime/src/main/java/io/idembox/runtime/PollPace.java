package io.idembox.runtime;

import io.idembox.runtime.HeldPartition.Stage;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * How long a poll may wait. Records that come end it at once, but those of a partition that is held
 * back do not: whether it may be read again is seen only when the poll has ended. So a partition
 * that is worked on gets its next look before half of what waits in its lanes is gone, and one that
 * stands still gets it late. Used by the poll thread alone.
 */
final class PollPace {
  // Nothing waits but partitions that may be given to this member, which are opened a little later.
  static final Duration IDLE = Duration.ofMillis(250);
  static final Duration LONGEST = Duration.ofMillis(100);
  static final Duration QUICKEST = Duration.ofMillis(10);
  static final Duration OFTEN = Duration.ofMillis(20);
  // Half as long as a fetch without records waits at a broker, by Kafka's default.
  private static final Duration SOON = Duration.ofMillis(250);
  // Batches end a few times a second: shorter, and the pace would be seen only now and then.
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);
  // The database and Kafka answer within milliseconds, or are away.
  private static final long ANSWERS_COME_WITHIN = TimeUnit.SECONDS.toNanos(2);

  private final LongSupplier clock;
  private final Map<TopicPartition, Sight> sights = new HashMap<>();

  /**
   * What was seen of a partition.
   *
   * @param since when it was first seen at this stage
   * @param worked how many records were worked off at the time {@code at}, one to two windows ago
   * @param laterWorked and at the time {@code later}, less than a window ago
   */
  private record Sight(
      PartitionWork work,
      Stage stage,
      long since,
      long worked,
      long at,
      long laterWorked,
      long later) {}

  /**
   * @param clock as {@link System#nanoTime}
   */
  PollPace(LongSupplier clock) {
    this.clock = clock;
  }

  /** The time for the next poll, once it is known which partitions are held back. */
  Duration next(Collection<HeldPartition> all, Collection<TopicPartition> heldBack) {
    long now = clock.getAsLong();
    long wait = all.isEmpty() ? LONGEST.toNanos() : IDLE.toNanos();
    for (HeldPartition held : all) {
      Sight sight = look(held, now);
      if (!isIdle(held)) {
        wait = Math.min(wait, LONGEST.toNanos());
      }
      if (heldBack.contains(held.partition())) {
        wait = Math.min(wait, held.isReading() ? lookAt(sight, now) : answerOf(sight, now));
      }
    }
    return Duration.ofNanos(Math.max(wait, QUICKEST.toNanos()));
  }

  /** Whether half of what waits in its lanes will be gone in a moment, at the pace of now. */
  boolean worksOffSoon(HeldPartition held) {
    long now = clock.getAsLong();
    return halfOf(look(held, now), now) <= SOON.toNanos();
  }

  /** These are not ours any more. */
  void ended(Collection<TopicPartition> partitions) {
    partitions.forEach(sights::remove);
  }

  /** Everything that was read of it is finished and committed. */
  private static boolean isIdle(HeldPartition held) {
    return held.isReading() && held.work().offsets().position() <= held.committed();
  }

  private Sight look(HeldPartition held, long now) {
    PartitionWork work = held.work();
    Sight before = sights.get(held.partition());
    if (before != null && before.work() == work && before.stage() == held.stage()) {
      if (now - before.later() < WINDOW) {
        return before;
      }
      Sight next =
          new Sight(
              work,
              before.stage(),
              before.since(),
              before.laterWorked(),
              before.later(),
              work.worked(),
              now);
      sights.put(held.partition(), next);
      return next;
    }
    long worked = work.worked();
    Sight first = new Sight(work, held.stage(), now, worked, now, worked, now);
    sights.put(held.partition(), first);
    return first;
  }

  /** Nanoseconds until half of what waits is worked off, at the pace of the last second. */
  private static long halfOf(Sight sight, long now) {
    long worked = sight.work().worked() - sight.worked();
    return worked <= 0
        ? Long.MAX_VALUE
        : (long) ((double) (now - sight.at()) / worked * sight.work().queued() / 2);
  }

  /**
   * Workers take whole batches, one partition after the other, so what waits is gone sooner than
   * the pace says as often as later: a partition that goes on in a moment is looked at often.
   */
  private static long lookAt(Sight sight, long now) {
    long half = halfOf(sight, now);
    return half <= SOON.toNanos() ? Math.min(half, OFTEN.toNanos()) : half;
  }

  private static long answerOf(Sight sight, long now) {
    return now - sight.since() < ANSWERS_COME_WITHIN ? 0 : Long.MAX_VALUE;
  }
}
