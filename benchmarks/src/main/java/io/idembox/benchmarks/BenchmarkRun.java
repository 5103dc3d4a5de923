package io.idembox.benchmarks;

import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.EmbeddedServers;
import io.idembox.testkit.FaultRelay;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One run: the servers, the topics, and for each workload a process for each contender. Contenders
 * take turns (A B C, A B C, …), so that what else the machine does meets them alike.
 */
final class BenchmarkRun implements AutoCloseable {
  // Half a millisecond for there and back.
  private static final Duration ONE_WAY = Duration.ofNanos(250_000);

  private final BenchmarkPlan plan;
  private final PrintStream out;
  private final PrintStream progress;
  private final EmbeddedServers servers;
  private final FaultRelay far;
  private final TopicLoader loader;
  private final Set<Topic> loaded = EnumSet.noneOf(Topic.class);
  private final String template;
  private final long postgresPid;

  /** Starts the servers. */
  BenchmarkRun(BenchmarkPlan plan, PrintStream out, PrintStream progress) {
    this.plan = plan;
    this.out = out;
    this.progress = progress;
    this.servers =
        EmbeddedServers.start(
            EmbeddedKafka.builder()
                // All members of a contender join the same generation of their group.
                .property("group.initial.rebalance.delay.ms", "500")
                .property("log.retention.ms", "-1"),
            EmbeddedPostgres.builder()
                // As a small production server has them, durability first: no checkpoint falls into
                // one contender's run because of what the one before has written.
                .setting("shared_buffers", "1GB")
                .setting("max_wal_size", "8GB")
                .setting("checkpoint_timeout", "30min")
                .setting("wal_buffers", "16MB"),
            EmbeddedRedis.builder());
    this.far = FaultRelay.to(servers.postgres().port());
    far.latency(ONE_WAY);
    this.loader = new TopicLoader(servers.kafka(), plan.partitions(), plan.orders());
    this.postgresPid = DatabaseProcess.pid(servers.postgres().dataDirectory());
    this.template = servers.postgres().createDatabase();
    BenchDatabase.create(servers.postgres().dataSource(template));
  }

  /**
   * Measures everything that is planned.
   *
   * @throws BenchmarkException if a contender fails, or leaves a result that is not exactly right
   */
  Results measure() {
    Results results = new Results();
    for (Workload workload : plan.workloads()) {
      List<Contender> contenders = plan.contendersOf(workload);
      if (!contenders.isEmpty()) {
        load(workload);
        measure(workload, contenders, results);
        out.print(Table.of(workload, results));
        out.flush();
      }
    }
    return results;
  }

  private void load(Workload workload) {
    if (workload.state() == Workload.State.GUARD_ONLY) {
      return;
    }
    load(workload.topic());
    if (workload.state() == Workload.State.HANDLED) {
      load(Topic.ORDERS);
    } else if (workload.state() == Workload.State.TENTH_HANDLED) {
      load(Topic.KNOWN);
    }
  }

  private void load(Topic topic) {
    if (loaded.add(topic)) {
      progress.printf("loading %s%n", topic.topicName());
      loader.load(topic);
    }
  }

  private void measure(Workload workload, List<Contender> contenders, Results results) {
    Deque<WorkerProcess> workers = new ArrayDeque<>();
    try {
      for (Contender contender : contenders) {
        workers.add(WorkerProcess.start(job(workload, contender), plan.jvmOptions()));
      }
      for (WorkerProcess worker : workers) {
        worker.prepare();
        if (plan.warmUp()) {
          progress.printf("%s: %s warms up%n", workload, worker.contender());
          worker.warmUp();
        }
      }
      for (int round = 1; round <= plan.rounds(); round++) {
        for (WorkerProcess worker : workers) {
          RunFigures figures = worker.run();
          progress.printf("%s: %s, round %d: %s%n", workload, worker.contender(), round, figures);
          results.add(workload, worker.contender(), figures);
        }
      }
    } finally {
      workers.forEach(WorkerProcess::close);
      servers.redis().command("FLUSHALL");
    }
  }

  private Job job(Workload workload, Contender contender) {
    String database = servers.postgres().createDatabase(template);
    String direct = servers.postgres().jdbcUrl(database);
    String url =
        workload.isLatency()
            ? direct.replace(":" + servers.postgres().port() + "/", ":" + far.port() + "/")
            : direct;
    Path profile = plan.profile();
    return new Job(
        workload,
        contender,
        servers.kafka().bootstrapServers(),
        url,
        direct,
        servers.redis().uri(),
        plan.partitions(),
        plan.orders(),
        plan.inboxRows(),
        plan.seconds(),
        postgresPid,
        profile == null ? null : profile.toAbsolutePath().toString());
  }

  @Override
  public void close() {
    far.close();
    servers.close();
  }
}
