package io.idembox.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts records that are skipped because they are done, and tells log, meters and the listener.
 * Used by the poll thread alone; the listener runs elsewhere, for it may be slow.
 */
final class SkippedRuns {
  private static final Logger log = LoggerFactory.getLogger(SkippedRuns.class);
  // A rewind of millions is a line now and then, not one for each poll.
  private static final long LOG_INTERVAL = Duration.ofSeconds(10).toNanos();

  private final RunListener listener;
  private final ConsumerMetrics metrics;
  private final AsyncProgress elsewhere;
  private final Map<TopicPartition, Run> unreported = new HashMap<>();
  private final Map<TopicPartition, Run> unlogged = new HashMap<>();
  private final Map<TopicPartition, Long> lastLogged = new HashMap<>();
  private @Nullable CompletableFuture<?> underWay;

  private record Run(long first, long last, int records) {
    Run plus(Run later) {
      return new Run(first, later.last, records + later.records);
    }
  }

  SkippedRuns(RunListener listener, ConsumerMetrics metrics, AsyncProgress elsewhere) {
    this.listener = listener;
    this.metrics = metrics;
    this.elsewhere = elsewhere;
  }

  void add(TopicPartition partition, long first, long last, int records) {
    Run run = new Run(first, last, records);
    metrics.skipped(partition.topic(), records);
    unreported.merge(partition, run, Run::plus);
    unlogged.merge(partition, run, Run::plus);
  }

  /** Tells what is to be told, if whoever is told keeps up. */
  void tell() {
    if (!unlogged.isEmpty()) {
      long now = System.nanoTime();
      for (TopicPartition partition : List.copyOf(unlogged.keySet())) {
        Long last = lastLogged.get(partition);
        if (last == null || now - last >= LOG_INTERVAL) {
          lastLogged.put(partition, now);
          log(partition);
        }
      }
    }
    if (!unreported.isEmpty() && (underWay == null || underWay.isDone())) {
      List<BatchReport> reports = takeReports();
      underWay = elsewhere.run(() -> report(reports));
    }
  }

  /** These partitions are let go: nothing more will be skipped in them. */
  void ended(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      log(partition);
      lastLogged.remove(partition);
    }
  }

  /** The last ones, on the calling thread. */
  void close() {
    report(takeReports());
  }

  private void log(TopicPartition partition) {
    Run run = unlogged.remove(partition);
    if (run != null) {
      log.info(
          "{}: skipped {} records from offset {} to {}, done before",
          partition,
          run.records(),
          run.first(),
          run.last());
    }
  }

  private List<BatchReport> takeReports() {
    List<BatchReport> reports = new ArrayList<>();
    unreported.forEach(
        (partition, run) ->
            reports.add(
                new BatchReport(
                    partition.topic(),
                    partition.partition(),
                    run.first(),
                    run.last(),
                    run.records(),
                    0,
                    0,
                    run.records())));
    unreported.clear();
    return reports;
  }

  private void report(List<BatchReport> reports) {
    for (BatchReport report : reports) {
      try {
        listener.onBatch(report);
      } catch (Throwable e) {
        // As for batches: the listener cannot change anything.
        log.warn("The run listener failed on {}: {}", report, Causes.summary(e));
      }
    }
  }
}
