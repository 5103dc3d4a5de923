package io.idembox.demo.lab;

import static io.idembox.demo.lab.Figure.DUPLICATES;
import static io.idembox.demo.lab.Figure.MAILS;
import static io.idembox.demo.lab.Figure.RECEIPTS;
import static io.idembox.demo.lab.Figure.REQUEUED;

import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** Two processes have the same job at the same time; the second comes while the first sends. */
final class TwoWorkersOneJob implements Scenario {

  // Long enough for a call to reach Redis, ask, and begin to wait.
  private static final long SECOND_ASKS_MS = 300;

  @Override
  public int id() {
    return 2;
  }

  @Override
  public String name() {
    return "two workers, one job";
  }

  @Override
  public String note() {
    return "Two processes; the first one stands still in its sending until the second has asked.";
  }

  @Override
  public Found run(LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    Figures two = Figures.of(MAILS, 2).and(RECEIPTS, 2);
    Figures one = Figures.of(MAILS, 1).and(RECEIPTS, 1);
    Comparison plain = new Comparison("plain handler", two, two, work(bench, "plain"));
    Comparison fail =
        new Comparison(
            "second caller FAIL",
            one.and(REQUEUED, 1),
            one.and(REQUEUED, 1).and(DUPLICATES, 0),
            work(bench, "fail"));
    Comparison wait =
        new Comparison(
            "second caller WAIT",
            one.and(REQUEUED, 0),
            one.and(REQUEUED, 0).and(DUPLICATES, 0),
            work(bench, "wait"));
    return new Found(wait, List.of(plain, fail));
  }

  private static Figures work(LabBench bench, String way)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    try (Workplace place = bench.workplace("lab2-" + way)) {
      Path goFirst = place.file(".go-1");
      Path goSecond = place.file(".go-2");
      Path hold = place.file(".hold");
      try (WorkerProcess first =
              place.start(JobCaller.class, way, goFirst.toString(), hold.toString());
          WorkerProcess second = place.start(JobCaller.class, way, goSecond.toString())) {
        place.awaitLines("ready", 2, first);
        Files.createFile(goFirst);
        place.awaitLines("sending", 1, first);
        Files.createFile(goSecond);
        letTheSecondAsk(bench, place, way, second);
        Files.createFile(hold);
        place.awaitEnd(first);
        place.awaitEnd(second);
      }
      int mails = place.mail().arrived();
      bench.progress().note(way + ": the second worker came while the first was sending");
      Figures figures =
          Figures.of(MAILS, mails)
              .and(DUPLICATES, mails - 1)
              .and(RECEIPTS, place.lines("receipt").stream().distinct().count());
      // However often it asked: it was one worker that was sent away.
      int requeued = Math.min(1, place.lines("in progress, requeue").size());
      return way.equals("plain") ? figures : figures.and(REQUEUED, requeued);
    }
  }

  private static void letTheSecondAsk(
      LabBench bench, Workplace place, String way, WorkerProcess second)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    switch (way) {
      case "plain" -> place.awaitLines("receipt", 1, second);
      case "fail" -> place.awaitLines("in progress, requeue", 1, second);
      default -> {
        place.awaitLines("calling", 2, second);
        bench.stop().pause(SECOND_ASKS_MS);
      }
    }
  }
}
