package io.idembox.benchmarks;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Passes of a consumer over a topic. */
final class ConsumerPasses implements Passes {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Job job;
  private final BenchDatabase database;
  private final GroupOffsets offsets;
  // Groups and effect keys outlive a database.
  private final String token = Long.toString(System.nanoTime(), Character.MAX_RADIX);
  private int state;

  ConsumerPasses(Job job) {
    this.job = job;
    this.database = new BenchDatabase(job.directJdbcUrl());
    this.offsets = new GroupOffsets(job.bootstrapServers(), job.partitions());
  }

  @Override
  public void prepare() {
    database.reset();
    if (job.workload().state() == Workload.State.HANDLED && job.contender() != Contender.RAW_POLL) {
      handle(Topic.ORDERS);
    } else if (job.workload().state() == Workload.State.LARGE) {
      // The first pass registers the consumer and the topic, to which the rows belong.
      handle(Topic.ORDERED);
      if (job.contender() != Contender.IDEMBOX_EMPTY_INBOX) {
        database.addOlderRows(name(), Topic.ORDERED.topicName(), job.inboxRows());
      }
    }
  }

  /** Brings records into the state of having been handled, by whoever does it fast. */
  private void handle(Topic topic) {
    // The peers share the hand-tuned loop's tables.
    Contender by = job.contender().isIdembox() ? job.contender() : Contender.HAND_TUNED_4;
    consume(by, topic, job.directJdbcUrl());
    database.settle();
  }

  @Override
  public Pass next() {
    switch (job.workload().state()) {
      case EMPTY -> startAfresh();
      case TENTH_HANDLED -> {
        startAfresh();
        handle(Topic.KNOWN);
      }
      case HANDLED -> {
        database.forgetProgress(Topic.COPIES.topicName());
        offsets.rewind(group(), job.workload().topic().topicName());
      }
      case LARGE -> {
        database.removeOrders(Topic.ORDERED.topicName());
        offsets.rewind(group(), Topic.ORDERED.topicName());
      }
      case GUARD_ONLY -> throw new IllegalStateException("No consumer takes part in " + job);
    }
    Pass pass = consume(job.contender(), job.workload().topic(), job.jdbcUrl());
    verify();
    return pass;
  }

  private void startAfresh() {
    if (state > 0) {
      offsets.delete(group());
    }
    state++;
    database.reset();
  }

  private Pass consume(Contender contender, Topic topic, String jdbcUrl) {
    Setting setting =
        new Setting(
            job.bootstrapServers(),
            jdbcUrl,
            job.redisUri(),
            topic.topicName(),
            name(),
            group(),
            job.workload().effects(),
            new LongAdder());
    int records = topic.records(job.orders());
    Progress progress = new Progress(records, job.partitions());
    FirstPoll.reset();
    Consumption running = contender.start(setting, progress);
    Moment end;
    try {
      end = progress.awaitEnd(PATIENCE);
    } finally {
      running.close();
    }
    offsets.verify(group(), topic.topicName(), records);
    verifyEffects(contender, setting, records);
    return Pass.between(FirstPoll.moment(), end, records);
  }

  private void verifyEffects(Contender contender, Setting setting, int records) {
    boolean expected =
        setting.effects() != EffectMode.NONE && contender != Contender.IDEMBOX_NO_EFFECT;
    long performed = setting.performed().sum();
    if (performed != (expected ? records : 0)) {
      throw new BenchmarkException(
          performed + " effects were performed for " + records + " records");
    }
    if (expected && contender.isIdembox() && setting.effects() != EffectMode.ONCE) {
      database.verifyJournal(records);
    }
  }

  private void verify() {
    if (job.contender() != Contender.RAW_POLL) {
      database.verifyLedger(job.workload().topic(), job.workload().topic().records(job.orders()));
    }
  }

  private String group() {
    return "group-" + name();
  }

  private String name() {
    return job.workload() + "-" + job.contender() + "-" + token + "-" + state;
  }

  @Override
  public void close() {
    offsets.close();
  }
}
