package io.idembox.demo.lab;

import static io.idembox.demo.lab.Figure.DELIVERIES;
import static io.idembox.demo.lab.Figure.DUPLICATES;
import static io.idembox.demo.lab.Figure.HANDLED;
import static io.idembox.demo.lab.Figure.MAILS;
import static io.idembox.demo.lab.Figure.ROWS;
import static io.idembox.demo.lab.Figure.SKIPPED;

import io.idembox.demo.OrderCreated;
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
 * One message is delivered three times: its process is killed between the mail and the commit, the
 * next one commits, and the group is rewound. The key keeps the mail from being sent again, the
 * inbox the row from being written again.
 */
final class InboxAndKey implements Scenario {
  private static final String TOPIC = "lab4-orders";

  @Override
  public int id() {
    return 4;
  }

  @Override
  public String name() {
    return "inbox and key together";
  }

  @Override
  public String note() {
    return "Killed (SIGKILL) between mail and commit; handled; rewound and delivered once more.";
  }

  @Override
  public Found run(LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    bench.topic(TOPIC, 1);
    try (EventProducer producer = new EventProducer(bench.bootstrapServers(), TOPIC)) {
      OrderCreated order = new OrderCreated("order-9", "ann@shop.example", new BigDecimal("9.00"));
      producer.send(order.id(), "message-1", order, Map.of());
      producer.flush();
    }
    try (Workplace place = bench.workplace("lab4");
        ConsumerGroup group = new ConsumerGroup(bench.bootstrapServers(), TOPIC, TOPIC, 1)) {
      deliverThreeTimes(bench, place, group);
      long runs = place.lines("handling").size();
      long skips = skips(place);
      int mails = place.mail().arrived();
      Figures ours =
          Figures.of(DELIVERIES, runs + skips)
              .and(ROWS, place.rows())
              .and(MAILS, mails)
              .and(SKIPPED, skips)
              .and(HANDLED, place.recorded())
              .and(DUPLICATES, place.rowsTwice() + mails - 1);
      Figures article = Figures.of(DELIVERIES, 3).and(ROWS, 1).and(MAILS, 1);
      Figures wanted = article.and(SKIPPED, 1).and(HANDLED, 1).and(DUPLICATES, 0);
      return new Found(new Comparison("inbox and effect key", article, wanted, ours), List.of());
    }
  }

  private static void deliverThreeTimes(LabBench bench, Workplace place, ConsumerGroup group)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    try (WorkerProcess first = place.start(BookingWorker.class, TOPIC, "halt")) {
      place.awaitLines("before the commit", 1, first);
      first.kill();
    }
    bench.progress().note("killed (SIGKILL) between the mail and the commit");
    try (WorkerProcess second = place.start(BookingWorker.class, TOPIC)) {
      bench
          .waiting()
          .until(
              () -> group.lag() == 0 ? Optional.empty() : Optional.of("the second delivery"),
              second);
      second.stop();
    }
    bench
        .waiting()
        .until(() -> group.isEmpty() ? Optional.empty() : Optional.of("the group has members"));
    group.rewind();
    bench.progress().note("handled; the group is rewound, for a third delivery");
    try (WorkerProcess third = place.start(BookingWorker.class, TOPIC)) {
      bench
          .waiting()
          .until(
              () ->
                  group.lag() == 0 && skips(place) > 0
                      ? Optional.empty()
                      : Optional.of("the third delivery"),
              third);
      third.stop();
    }
  }

  private static long skips(Workplace place) {
    return place.lines("skipped").stream().mapToLong(Long::parseLong).sum();
  }
}
