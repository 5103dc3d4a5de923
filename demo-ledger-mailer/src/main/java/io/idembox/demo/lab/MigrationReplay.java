package io.idembox.demo.lab;

import static io.idembox.demo.lab.Figure.DELIVERIES;
import static io.idembox.demo.lab.Figure.DUPLICATES;
import static io.idembox.demo.lab.Figure.HANDLED;
import static io.idembox.demo.lab.Figure.MAILS;
import static io.idembox.demo.lab.Figure.MICROS_PER_SKIP;
import static io.idembox.demo.lab.Figure.ROWS;
import static io.idembox.demo.lab.Figure.SECONDS;
import static io.idembox.demo.lab.Figure.SKIPPED;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.demo.stage.ConsumerGroup;
import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.WorkerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A topic is copied to another one, with another number of partitions and some events more; the old
 * group has stopped, and the copy is replayed by {@code idembox replay} under the old consumer's
 * name. The same replay is done once more by a plain loop, into a database and mailboxes of its own
 * that have seen everything before.
 */
final class MigrationReplay implements Scenario {
  private static final String ORIGINAL = "lab6-ledger";
  private static final String COPY = "lab6-ledger-copy";
  private static final int PARTITIONS = 6;
  private static final int COPY_PARTITIONS = 4;

  // Of the known events, one in so many is billed by mail; of the new ones, all are.
  private static final int MAIL_EVERY = 100;

  private static final Figures ARTICLE =
      Figures.of(DELIVERIES, 340_000)
          .and(SKIPPED, 338_400)
          .and(HANDLED, 1_600)
          .and(DUPLICATES, 0)
          .and(MICROS_PER_SKIP, 2_000);

  @Override
  public int id() {
    return 6;
  }

  @Override
  public String name() {
    return "migration replay";
  }

  @Override
  public String note() {
    return "The time for an event is that of the whole replay, new events and mails included.";
  }

  @Override
  public Found run(LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    LabPlan plan = bench.plan();
    bench.topic(ORIGINAL, PARTITIONS);
    bench.topic(COPY, COPY_PARTITIONS);
    publish(bench, ORIGINAL, 0, plan.known(), MAIL_EVERY);
    try (Workplace place = bench.workplace("lab6")) {
      // Computed, not counted: mails that the old group sent twice must not pass for wanted ones.
      int mails = (plan.known() + MAIL_EVERY - 1) / MAIL_EVERY;
      handleOnce(bench, place);
      copy(bench);
      publish(bench, COPY, plan.known(), plan.copied(), 1);
      Figures ours = replay(bench, place, mails + plan.fresh());
      Figures wanted =
          Figures.of(DELIVERIES, plan.copied())
              .and(ROWS, plan.copied())
              .and(MAILS, mails + plan.fresh())
              .and(SKIPPED, plan.known())
              .and(HANDLED, plan.fresh())
              .and(DUPLICATES, 0);
      if (plan.timesCount()) {
        wanted = wanted.and(MICROS_PER_SKIP, ARTICLE.get(MICROS_PER_SKIP).orElseThrow());
      }
      return new Found(
          new Comparison("idembox replay", ARTICLE, wanted, ours), List.of(plainly(bench, mails)));
    }
  }

  private static void publish(LabBench bench, String topic, int from, int to, int mailEvery)
      throws DemoFailure, StoppedException, InterruptedException {
    bench.progress().begin("publish to " + topic, to - from, "events");
    try (EventProducer producer = new EventProducer(bench.bootstrapServers(), topic)) {
      for (int i = from; i < to; i++) {
        LedgerEvent event = LedgerEvent.of(i, i % mailEvery == 0);
        // Not a UUID: such an id counts within its topic, and says nothing in the copy by itself.
        producer.send(event.id(), "event-" + i, event, Map.of());
        if (i % 10_000 == 0) {
          bench.progress().reached(i - from);
          bench.stop().pause(0);
        }
      }
      producer.flush();
    }
    bench.progress().end();
  }

  /** The old group handles its topic, and stops. */
  private static void handleOnce(LabBench bench, Workplace place)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    int known = bench.plan().known();
    bench.progress().begin("the old group", known, "events");
    try (ConsumerGroup group =
            new ConsumerGroup(
                bench.bootstrapServers(), MigrationConsumer.NAME, ORIGINAL, PARTITIONS);
        WorkerProcess consumer = place.startAtFullSpeed(MigrationConsumer.class, ORIGINAL)) {
      bench
          .waiting()
          .until(
              () -> {
                long lag = group.lag();
                long effects = place.unsettledEffects();
                bench.progress().reached((int) (known - lag));
                return lag == 0 && effects == 0
                    ? Optional.empty()
                    : Optional.of(lag + " records of lag, " + effects + " effects open");
              },
              consumer);
      consumer.stop();
    }
    bench
        .progress()
        .note(
            "the old group has handled all, sent "
                + place.mail().arrived()
                + " mails, and stopped");
  }

  /** Copies the records as a mirror does: key, value and headers. */
  private static void copy(LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException {
    bench.progress().begin("copy to " + COPY, bench.plan().known(), "events");
    int copied = 0;
    try (TopicReader reader = new TopicReader(bench.bootstrapServers(), ORIGINAL, "lab6-mirror");
        EventProducer producer = new EventProducer(bench.bootstrapServers(), COPY)) {
      for (var records = reader.next(); !records.isEmpty(); records = reader.next()) {
        for (ConsumerRecord<byte[], byte[]> one : records) {
          producer.send(
              new ProducerRecord<>(COPY, null, null, one.key(), one.value(), one.headers()));
        }
        copied += records.size();
        bench.progress().reached(copied);
        bench.stop().pause(0);
      }
      producer.flush();
    }
    bench.progress().end();
  }

  private static Figures replay(LabBench bench, Workplace place, int mailsWanted)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    bench.progress().note("idembox replay of " + COPY + ", a copy of " + ORIGINAL);
    JsonNode answer = ReplayCommand.run(place, COPY, ORIGINAL);
    int mails = place.mail().arrived();
    double seconds = answer.path("seconds").asDouble();
    long read = answer.path("read").asLong();
    return Figures.of(DELIVERIES, read)
        .and(ROWS, place.rows())
        .and(MAILS, mails)
        .and(SKIPPED, answer.path("skipped").asLong())
        .and(HANDLED, answer.path("handled").asLong())
        .and(DUPLICATES, place.rowsTwice() + Math.max(0, mails - mailsWanted))
        .and(SECONDS, Math.round(seconds * 100) / 100.0)
        .and(MICROS_PER_SKIP, Math.round(seconds * 1e7 / Math.max(1, read)) / 10.0);
  }

  /** The same without an inbox. */
  private static Comparison plainly(LabBench bench, int mailsBefore)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    LabPlan plan = bench.plan();
    try (Workplace place = bench.workplace("lab6-plain")) {
      bench.progress().begin("plain loop", plan.copied(), "events");
      try (WorkerProcess loop = place.startAtFullSpeed(PlainReplay.class, COPY)) {
        place.awaitEnd(
            loop,
            () -> {
              bench.progress().reached((int) place.rows());
              return Optional.empty();
            });
      }
      bench.progress().end();
      double micros = Double.parseDouble(place.lines("micros").get(0));
      // Each known event was booked, and some were mailed, by the old group.
      long duplicates = place.rows() - plan.fresh() + place.mail().arrived() - plan.fresh();
      Figures ours =
          Figures.of(DELIVERIES, plan.copied())
              .and(DUPLICATES, duplicates)
              .and(SECONDS, Math.round(micros / 1e4) / 100.0)
              .and(MICROS_PER_SKIP, Math.round(micros * 10 / plan.copied()) / 10.0);
      return new Comparison(
          "the same without the inbox: a plain loop",
          Figures.NONE,
          Figures.of(DUPLICATES, plan.known() + mailsBefore),
          ours);
    }
  }
}
