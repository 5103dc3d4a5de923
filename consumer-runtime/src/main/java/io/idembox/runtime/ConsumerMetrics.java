package io.idembox.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.TopicPartition;

/** What a consumer counts, in Micrometer. Gauges of a partition are there while it is assigned. */
final class ConsumerMetrics {
  private static final double MILLIS_PER_SECOND = 1000.0;

  private final MeterRegistry registry;
  private final String consumer;
  private final Timer transactions;
  private final DistributionSummary transactionRecords;
  private final Map<TopicPartition, List<Meter>> gauges = new ConcurrentHashMap<>();
  private final Map<TopicPartition, PartitionWork> assigned = new ConcurrentHashMap<>();
  private final List<Meter> stalls = new ArrayList<>();

  ConsumerMetrics(MeterRegistry registry, String consumer) {
    this.registry = registry;
    this.consumer = consumer;
    this.transactions =
        Timer.builder("idembox.transaction")
            .description("Time of one inbox transaction, claim and handlers included")
            .tag("consumer", consumer)
            .register(registry);
    this.transactionRecords =
        DistributionSummary.builder("idembox.transaction.records")
            .description("Records in one inbox transaction")
            .tag("consumer", consumer)
            .register(registry);
  }

  /** By reason; there while anything is assigned, so that the next consumer's are its own. */
  private List<Meter> stallGauges() {
    List<Meter> meters = new ArrayList<>();
    for (Stall.Reason reason : Stall.Reason.values()) {
      meters.add(
          Gauge.builder("idembox.stalls", this, metrics -> metrics.stalledBy(reason))
              .description("Partitions that do not move, or in which a key does not, by the reason")
              .tags("consumer", consumer, "reason", reason.name().toLowerCase(Locale.ROOT))
              .strongReference(true)
              .register(registry));
    }
    return meters;
  }

  private double stalledBy(Stall.Reason reason) {
    return assigned.values().stream()
        .filter(work -> work.status().stall().filter(stall -> stall.reason() == reason).isPresent())
        .count();
  }

  void committed(BatchReport report, Duration took) {
    transactions.record(took);
    transactionRecords.record(report.delivered());
    records(report.topic(), "handled").increment(report.handled());
    records(report.topic(), "ignored").increment(report.ignored());
    records(report.topic(), "skipped").increment(report.skipped());
  }

  /** A record failed, and is handled again after a pause. */
  void retried(String topic) {
    records(topic, "retried").increment();
  }

  void gaveUp(String topic) {
    records(topic, "dead").increment();
  }

  /** Records that were skipped without a query. */
  void skipped(String topic, int records) {
    records(topic, "skipped").increment(records);
  }

  /** A partition's reading starts, for this reason. */
  void started(String topic, StartDecision.Kind why) {
    Counter.builder("idembox.starts")
        .description("Partitions whose reading was started, by how the position was found")
        .tags("consumer", consumer, "topic", topic, "kind", why.name().toLowerCase(Locale.ROOT))
        .register(registry)
        .increment();
  }

  /** Offsets that Kafka dropped before they were read. */
  void lost(String topic, long offsets) {
    offsets("idembox.offsets.lost", "Offsets that Kafka dropped before they were read", topic)
        .increment((double) offsets);
  }

  /** Offsets that somebody jumped. */
  void jumped(String topic, long offsets) {
    offsets("idembox.offsets.jumped", "Unread offsets that a moved offset jumped", topic)
        .increment((double) offsets);
  }

  /**
   * Dead letters on their way to their topic: copied, refused for a time, or too large for it for
   * ever.
   */
  void letterCopies(String outcome, int letters) {
    Counter.builder("idembox.letter.copies")
        .description("Dead letters sent to their topic, by what became of that; failed come again")
        .tags("consumer", consumer, "outcome", outcome)
        .register(registry)
        .increment(letters);
  }

  private Counter offsets(String name, String what, String topic) {
    return Counter.builder(name)
        .description(what)
        .tags("consumer", consumer, "topic", topic)
        .register(registry);
  }

  void failed(FailureClass failure) {
    Counter.builder("idembox.transaction.failures")
        .description("Rolled-back transactions, by what was to blame")
        .tags("consumer", consumer, "class", failure.name().toLowerCase(Locale.ROOT))
        .register(registry)
        .increment();
  }

  private Counter records(String topic, String outcome) {
    return Counter.builder("idembox.records")
        .description("Records, by what became of them")
        .tags("consumer", consumer, "topic", topic, "outcome", outcome)
        .register(registry);
  }

  void assigned(PartitionWork work) {
    TopicPartition partition = work.partition();
    List<Meter> meters = new ArrayList<>();
    meters.add(
        gauge(
            work,
            "idembox.lag.records",
            "Records of the log that are not finished",
            w -> {
              PartitionStatus status = w.status();
              return status.lagRecords().orElse(0) + status.queuedRecords();
            }));
    meters.add(
        gauge(
            work,
            "idembox.lag.unstable.records",
            "Records that a producer's open transaction keeps from being read, as last looked",
            PartitionWork::unstable));
    meters.add(
        gauge(
            work,
            "idembox.lag.seconds",
            "Age of the oldest fetched record that is not finished",
            w -> w.status().oldestUnfinished().map(ConsumerMetrics::age).orElse(0.0)));
    meters.add(
        gauge(
            work,
            "idembox.queued.records",
            "Fetched records that are not finished",
            PartitionWork::queued));
    meters.add(
        gauge(
            work,
            "idembox.stalled.seconds",
            "How long the partition, or a key in it, has not moved; 0 while it moves",
            w -> w.status().stall().map(stall -> age(stall.since())).orElse(0.0)));
    gauges.put(partition, meters);
    if (assigned.isEmpty()) {
      stalls.addAll(stallGauges());
    }
    assigned.put(partition, work);
  }

  void ended(TopicPartition partition) {
    if (assigned.remove(partition) != null && assigned.isEmpty()) {
      stalls.forEach(registry::remove);
      stalls.clear();
    }
    List<Meter> meters = gauges.remove(partition);
    if (meters != null) {
      meters.forEach(registry::remove);
    }
  }

  private Gauge gauge(
      PartitionWork work, String name, String what, ToDoubleFunction<PartitionWork> value) {
    return Gauge.builder(name, work, value)
        .description(what)
        .tags(
            Tags.of(
                "consumer",
                consumer,
                "topic",
                work.partition().topic(),
                "partition",
                Integer.toString(work.partition().partition())))
        .strongReference(true)
        .register(registry);
  }

  private static double age(Instant since) {
    return Math.max(0, Duration.between(since, Instant.now()).toMillis()) / MILLIS_PER_SECOND;
  }
}
