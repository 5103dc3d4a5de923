package io.idembox.demo.lab;

import static io.idembox.demo.lab.Figure.DELIVERIES;
import static io.idembox.demo.lab.Figure.DUPLICATES;
import static io.idembox.demo.lab.Figure.MAILS;

import io.idembox.demo.OrderCreated;
import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.WorkerProcess;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** A worker has sent its mail and is killed before it acks, so the queue delivers the job again. */
final class CrashBeforeAck implements Scenario {

  @Override
  public int id() {
    return 1;
  }

  @Override
  public String name() {
    return "a crash before the ack";
  }

  @Override
  public String note() {
    return "A real Kafka topic; the worker stands still between mail and ack, and is killed (SIGKILL).";
  }

  @Override
  public Found run(LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    Figures twice = Figures.of(DELIVERIES, 2).and(MAILS, 2);
    Figures once = Figures.of(DELIVERIES, 2).and(MAILS, 1);
    Comparison plain = new Comparison("plain handler", twice, twice, work(bench, "plain"));
    Comparison guarded =
        new Comparison(
            "behind an effect key", once, once.and(DUPLICATES, 0), work(bench, "guarded"));
    return new Found(guarded, List.of(plain));
  }

  private static Figures work(LabBench bench, String way)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    String topic = "lab1-" + way;
    bench.topic(topic, 1);
    try (EventProducer queue = new EventProducer(bench.bootstrapServers(), topic)) {
      OrderCreated order = new OrderCreated("order-9", "ann@shop.example", new BigDecimal("9.00"));
      queue.send(order.id(), "job-1", order, Map.of());
      queue.flush();
    }
    try (Workplace place = bench.workplace(topic)) {
      try (WorkerProcess first = place.start(JobWorker.class, topic, way, "halt")) {
        place.awaitLines("before the ack", 1, first);
        first.kill();
      }
      bench.progress().note(way + ": killed (SIGKILL) between the mail and the ack");
      try (WorkerProcess second = place.start(JobWorker.class, topic, way)) {
        place.awaitEnd(second);
      }
      int mails = place.mail().arrived();
      return Figures.of(DELIVERIES, place.lines("delivered").size())
          .and(MAILS, mails)
          .and(DUPLICATES, mails - 1);
    }
  }
}
