package io.idembox.demo.run;

import io.idembox.demo.LedgerMailer;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.demo.stage.BatchTotals;
import io.idembox.demo.stage.ConsumerGroup;
import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.MailServer;
import io.idembox.demo.stage.Progress;
import io.idembox.demo.stage.StopSignal;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.Waiting;
import io.idembox.demo.stage.WorkerProcess;
import io.idembox.testkit.EmbeddedServers;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * One run: orders are produced, a consumer process works them off and is killed while it does, the
 * group is rewound and reads everything once more, and what is left behind is counted.
 */
final class DemoRun {

  private static final long SEED = 20_260_101;

  private final DemoPlan plan;
  private final Path folder;
  private final Progress progress;
  private final StopSignal stop;
  private final Waiting waiting;

  /**
   * A run that has not begun.
   *
   * @param folder an existing folder for the consumer's settings and logs
   */
  DemoRun(DemoPlan plan, Path folder, Progress progress, StopSignal stop) {
    this.plan = plan;
    this.folder = folder;
    this.progress = progress;
    this.stop = stop;
    this.waiting = new Waiting(stop);
  }

  /** The file that all consumer processes of the run append their output to. */
  private Path consumerLog() {
    return folder.resolve("consumer.log");
  }

  /**
   * How a run ended.
   *
   * @param figures what was counted
   * @param faults a few orders that are not right, in words; empty if all are
   */
  record Result(RunFigures figures, List<String> faults) {}

  /**
   * Runs. However it ends, no process and no server of it is left.
   *
   * @throws DemoFailure if a step did not come to its end
   * @throws StoppedException if the run was told to stop
   */
  Result run() throws DemoFailure, StoppedException, InterruptedException {
    long started = System.nanoTime();
    progress.note("starting Kafka, PostgreSQL, Redis and a mail server");
    try (MailServer mail = MailServer.start();
        EmbeddedServers servers = EmbeddedServers.start();
        ConsumerGroup group =
            new ConsumerGroup(
                servers.kafka().bootstrapServers(),
                LedgerMailer.NAME,
                LedgerMailer.TOPIC,
                plan.partitions())) {
      return run(new Environment(servers, mail), group, started);
    } finally {
      progress.end();
    }
  }

  private Result run(Environment environment, ConsumerGroup group, long started)
      throws DemoFailure, StoppedException, InterruptedException {
    try {
      stop.pause(0);
      environment.prepare(plan.partitions());
      Workload workload = Workload.of(plan, SEED);
      OrderProducer.send(environment.bootstrapServers(), workload.records());
      progress.note(
          "sent %d records: %d orders, %d of them twice, and %d requests for an invoice"
              .formatted(plan.produced(), plan.orders(), plan.copies(), plan.requests()));
      Path settings = writeSettings(environment.consumerSettings(batchLog()));
      workOffUnderFire(environment, group, settings);
      rewindAndReadAgain(environment, group, settings);
      Outcome outcome =
          Outcome.of(workload.orders(), environment.database(), environment.mail().received());
      double seconds = Math.round((System.nanoTime() - started) / 1e8) / 10.0;
      return new Result(figures(outcome, seconds), outcome.faults());
    } catch (SQLException | MessagingException | IOException failure) {
      throw new DemoFailure("the run broke off", failure);
    }
  }

  private void workOffUnderFire(Environment environment, ConsumerGroup group, Path settings)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    progress.begin("first pass", plan.orders(), "mails");
    for (int kill = 0; kill < plan.killsAtPercent().size(); kill++) {
      killAtWork(environment.mail(), kill, settings);
    }
    try (WorkerProcess consumer = consumer(settings)) {
      waiting.until(
          () -> {
            progress.reached(environment.mail().arrived());
            return openWork(environment, group);
          },
          consumer);
      progress.note("lag 0 and no effect open after " + environment.mail().arrived() + " mails");
      consumer.stop();
    }
  }

  /** Starts the consumer and kills it in the middle of sending a mail. */
  private void killAtWork(MailServer mail, int kill, Path settings)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    int due = plan.mailsAtKill(kill);
    if (mail.arrived() >= due) {
      throw new DemoFailure("the kill after " + due + " mails was missed");
    }
    try (WorkerProcess consumer = consumer(settings)) {
      CountDownLatch dead = new CountDownLatch(1);
      // On the mail server's thread: the mail is there and the consumer waits for the answer.
      mail.whenArrived(
          due,
          () -> {
            consumer.kill();
            dead.countDown();
          });
      waiting.until(
          () -> {
            progress.reached(mail.arrived());
            return dead.getCount() == 0
                ? Optional.empty()
                : Optional.of(mail.arrived() + " mails arrived, a kill is due at " + due);
          },
          consumer);
      progress.note(
          "killed the consumer (SIGKILL, %d of %d) after mail %d, before it had the answer"
              .formatted(kill + 1, plan.killsAtPercent().size(), due));
    }
  }

  private void rewindAndReadAgain(Environment environment, ConsumerGroup group, Path settings)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    waiting.until(
        () -> group.isEmpty() ? Optional.empty() : Optional.of("the group still has members"));
    group.rewind();
    progress.note("rewound all partitions to their first record");
    progress.begin("second pass", plan.produced(), "records");
    try (WorkerProcess consumer = consumer(settings)) {
      waiting.until(
          () -> {
            progress.reached((int) (plan.produced() - group.lag()));
            return openWork(environment, group);
          },
          consumer);
      consumer.stop();
    }
  }

  private WorkerProcess consumer(Path settings) {
    return WorkerProcess.start(
        "the consumer process",
        LedgerMailer.class,
        consumerLog(),
        settings.toAbsolutePath().toString());
  }

  private static Optional<String> openWork(Environment environment, ConsumerGroup group)
      throws DemoFailure, InterruptedException, SQLException {
    long lag = group.lag();
    long effects = Outcome.unsettledEffects(environment.database());
    return lag == 0 && effects == 0
        ? Optional.empty()
        : Optional.of(lag + " records of lag, " + effects + " effects open");
  }

  private RunFigures figures(Outcome outcome, double seconds) throws IOException {
    BatchTotals totals = BatchTotals.read(batchLog());
    return new RunFigures(
        plan.produced(),
        plan.orders(),
        totals.deliveries(),
        outcome.handled(),
        totals.skipped(),
        outcome.ledger().total(),
        outcome.mails().total(),
        outcome.duplicates(),
        outcome.lost(),
        plan.killsAtPercent().size(),
        seconds);
  }

  private Path batchLog() {
    return folder.resolve("batches.txt");
  }

  private Path writeSettings(LedgerMailerSettings settings) throws IOException {
    Path file = folder.resolve("consumer.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      settings.toProperties().store(writer, null);
    }
    return file;
  }
}
