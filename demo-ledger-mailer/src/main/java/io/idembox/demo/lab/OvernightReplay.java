package io.idembox.demo.lab;

import static io.idembox.demo.lab.Figure.DELIVERIES;
import static io.idembox.demo.lab.Figure.DUPLICATES;
import static io.idembox.demo.lab.Figure.HANDLED;
import static io.idembox.demo.lab.Figure.MAILS;
import static io.idembox.demo.lab.Figure.ROWS;
import static io.idembox.demo.lab.Figure.SKIPPED;

import io.idembox.demo.LedgerMailer;
import io.idembox.demo.OrderCreated;
import io.idembox.demo.stage.BatchTotals;
import io.idembox.demo.stage.ConsumerGroup;
import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.WorkerProcess;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All messages of a day are delivered again, four hours after they were processed.
 *
 * <p>The four hours are not waited for. What they change is that no process that knew anything is
 * left and that every lease has ended, and both are made so: the first process has stopped, the
 * journal owes nothing, and another process reads the second delivery. Receipts are kept for 72
 * hours and the inbox for 14 days, so neither would have let go of anything meanwhile. The messages
 * are published a second time under their ids, as a queue would do it: a rewind of the group would
 * be recognised by its offsets alone.
 */
final class OvernightReplay implements Scenario {
  private static final int PARTITIONS = 6;
  private static final int CUSTOMERS = 50;
  private static final int ARTICLE = 12_000;

  @Override
  public int id() {
    return 5;
  }

  @Override
  public String name() {
    return "overnight replay";
  }

  @Override
  public String note() {
    return "Four hours are not waited for: a new process reads the second delivery, no lease is left.";
  }

  @Override
  public Found run(LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    int messages = bench.plan().overnight();
    bench.topic(LedgerMailer.TOPIC, PARTITIONS);
    try (Workplace place = bench.workplace("lab5");
        ConsumerGroup group =
            new ConsumerGroup(
                bench.bootstrapServers(), LedgerMailer.NAME, LedgerMailer.TOPIC, PARTITIONS)) {
      publish(bench, messages);
      workOff(bench, place, group, "first delivery", messages);
      publish(bench, messages);
      bench.progress().note("a new process, as after four hours; all messages come again");
      workOff(bench, place, group, "second delivery", messages);
      BatchTotals totals = BatchTotals.read(place.batchLog());
      int mails = place.mail().arrived();
      Figures ours =
          Figures.of(DELIVERIES, totals.deliveries())
              .and(ROWS, place.rows())
              .and(MAILS, mails)
              .and(SKIPPED, totals.skipped())
              .and(HANDLED, totals.handled())
              .and(DUPLICATES, place.rowsTwice() + mails - messages);
      Figures wanted =
          Figures.of(DELIVERIES, 2 * messages)
              .and(ROWS, messages)
              .and(MAILS, messages)
              .and(SKIPPED, messages)
              .and(HANDLED, messages)
              .and(DUPLICATES, 0);
      return new Found(
          new Comparison(
              "article without keys, ours with inbox and keys",
              Figures.of(DUPLICATES, ARTICLE),
              wanted,
              ours),
          List.of());
    }
  }

  private static void publish(LabBench bench, int messages) throws DemoFailure {
    try (EventProducer producer = new EventProducer(bench.bootstrapServers(), LedgerMailer.TOPIC)) {
      for (int i = 0; i < messages; i++) {
        OrderCreated order =
            new OrderCreated(
                "order-%05d".formatted(i),
                "customer-%02d@shop.example".formatted(i % CUSTOMERS),
                BigDecimal.valueOf(i + 100L, 2));
        producer.send(
            order.id(),
            "message-%05d".formatted(i),
            order,
            Map.of(LedgerMailer.TYPE_HEADER, OrderCreated.TYPE));
      }
      producer.flush();
    }
  }

  private static void workOff(
      LabBench bench, Workplace place, ConsumerGroup group, String task, int messages)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    bench.progress().begin(task, messages, "messages");
    try (WorkerProcess consumer = place.start(LedgerMailer.class)) {
      bench
          .waiting()
          .until(
              () -> {
                long lag = group.lag();
                long effects = place.unsettledEffects();
                bench.progress().reached((int) Math.max(0, messages - lag));
                return lag == 0 && effects == 0
                    ? Optional.empty()
                    : Optional.of(lag + " records of lag, " + effects + " effects open");
              },
              consumer);
      consumer.stop();
    }
  }
}
