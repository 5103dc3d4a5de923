package io.idembox.runtime;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.JavaProcess;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;

/**
 * The module's figures, each printed as one line of JSON: {@code consumer-runtime/figures.sh
 * [rewind|idle|stuck|heap|keys]...}. Servers of its own in the same machine; nothing else should
 * run meanwhile.
 */
final class RuntimeFigures {
  private static final int PARTITIONS = 4;
  private static final Duration LONG = Duration.ofMinutes(20);

  private static final Decoder<byte[]> BYTES = Decoders.bytes();

  private final EmbeddedKafka kafka;
  private final HikariDataSource database;

  private RuntimeFigures(EmbeddedKafka kafka, HikariDataSource database) {
    this.kafka = kafka;
    this.database = database;
  }

  public static void main(String[] args) throws Exception {
    if (args.length > 0 && args[0].equals("idle-member")) {
      idleMember(args[1], args[2], args[3]);
      return;
    }
    try (EmbeddedKafka kafka = EmbeddedKafka.start();
        EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
      HikariConfig pool = new HikariConfig();
      pool.setJdbcUrl(postgres.jdbcUrl(postgres.createDatabase()));
      pool.setMaximumPoolSize(70);
      pool.setMinimumIdle(2);
      try (HikariDataSource database = new HikariDataSource(pool)) {
        IdemboxSchema.of(database).migrate();
        RuntimeFigures figures = new RuntimeFigures(kafka, database);
        List<String> wanted =
            args.length == 0 ? List.of("rewind", "idle", "stuck", "heap", "keys") : List.of(args);
        int records = Integer.getInteger("records", 1_000_000);
        for (String figure : wanted) {
          switch (figure) {
            case "rewind" -> figures.rewind(records);
            case "idle" -> figures.idle();
            case "stuck" -> figures.stuck();
            case "heap" -> figures.heap(records);
            case "keys" -> figures.keys();
            default -> throw new IllegalArgumentException("No figure is called " + figure);
          }
        }
      }
    }
  }

  /** A group that is set back to the beginning of what it has done, beside a bare poll loop. */
  private void rewind(int records) throws Exception {
    String topic = topic("rewind", PARTITIONS);
    produce(topic, records, 100, records);
    AtomicLong done = new AtomicLong();
    double first = consume("rewind", topic, Ordering.PARTITION, records, done, 0);
    setBack("rewind", topic);
    done.set(0);
    double again = consume("rewind", topic, Ordering.PARTITION, records, done, 0);
    double bare = barePoll(topic, records);
    print(
        "rewind",
        "\"records\": %d, \"firstPassPerSecond\": %.0f, \"rewindPerSecond\": %.0f,"
            + " \"barePollPerSecond\": %.0f",
        records,
        records / first,
        records / again,
        records / bare);
  }

  /** Processor time of a consumer's own process while nothing comes in, in percent of one core. */
  private void idle() throws Exception {
    String topic = topic("idle", PARTITIONS);
    produce(topic, 100, 100, 100);
    try (JavaProcess member =
        JavaProcess.start(
            RuntimeFigures.class,
            "idle-member",
            kafka.bootstrapServers(),
            database.getJdbcUrl(),
            topic)) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
        Awaitility.await().atMost(LONG).until(() -> committed(admin, "idle") == 100);
      }
      double unused = cpuPercent(member, Duration.ofSeconds(15));
      print("idle", "\"percentOfACore\": %.2f", cpuPercent(member, Duration.ofSeconds(60)));
    }
  }

  private static void idleMember(String brokers, String jdbcUrl, String topic)
      throws InterruptedException {
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(jdbcUrl);
    InboxConsumer.builder()
        .name("idle")
        .kafka(Map.of("bootstrap.servers", brokers))
        .dataSource(database)
        .subscribe(Subscription.topics(topic).decodedBy(BYTES, (message, tx) -> {}))
        .build()
        .run();
  }

  private static double cpuPercent(JavaProcess process, Duration over) throws InterruptedException {
    ProcessHandle.Info info = ProcessHandle.of(process.pid()).orElseThrow().info();
    Duration before = info.totalCpuDuration().orElseThrow();
    long begun = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(over.toNanos());
    Duration after =
        ProcessHandle.of(process.pid()).orElseThrow().info().totalCpuDuration().orElseThrow();
    return 100.0 * after.minus(before).toNanos() / (System.nanoTime() - begun);
  }

  /**
   * The same while all partitions are full and their first records wait for their next attempts.
   */
  private void stuck() throws Exception {
    String topic = topic("stuck", PARTITIONS);
    produce(topic, 40_000, 100, 100);
    InboxHandler<byte[]> failing =
        (message, tx) -> {
          throw new IllegalStateException("stuck");
        };
    double stuck;
    try (InboxConsumer consumer =
        settings("stuck", Ordering.PARTITION, 4)
            .subscribe(Subscription.topics(topic).decodedBy(BYTES, failing))
            .retryBackoff(Duration.ofMinutes(5), Duration.ofMinutes(5))
            .build()) {
      consumer.start();
      Awaitility.await()
          .atMost(LONG)
          .until(
              () ->
                  consumer.status().partitions().stream()
                          .filter(partition -> partition.stall().isPresent())
                          .count()
                      == PARTITIONS);
      double unused = cpuPercent(Duration.ofSeconds(5));
      stuck = cpuPercent(Duration.ofSeconds(20));
    }
    double unused = cpuPercent(Duration.ofSeconds(5));
    double without = cpuPercent(Duration.ofSeconds(20));
    print(
        "stuck",
        "\"percentOfACore\": %.2f, \"withoutTheConsumer\": %.2f, \"ofTheConsumer\": %.2f",
        stuck,
        without,
        stuck - without);
  }

  /** What is in use after a collection, as records go through. */
  private void heap(int records) throws Exception {
    String topic = topic("heap", PARTITIONS);
    produce(topic, records, 100, records);
    AtomicLong done = new AtomicLong();
    List<Long> used = new ArrayList<>();
    try (InboxConsumer consumer = consumer("heap", topic, Ordering.PARTITION, 4, done, 0)) {
      consumer.start();
      for (int tenth = 1; tenth <= 10; tenth++) {
        long wanted = (long) records * tenth / 10;
        Awaitility.await().atMost(LONG).until(() -> done.get() >= wanted);
        System.gc();
        used.add(usedAfterCollection() >> 20);
      }
    }
    print("heap", "\"records\": %d, \"usedMiBAfterEachTenth\": %s", records, used);
  }

  /** 10,000 records on one partition, 64 keys, a handler of 5 ms. */
  private void keys() throws Exception {
    int records = 10_000;
    String topic = topic("keys", 1);
    produce(topic, records, 100, 64);
    AtomicLong done = new AtomicLong();
    double keys = consume("keys-key", topic, Ordering.KEY, records, done, 5);
    done.set(0);
    double partition = consume("keys-partition", topic, Ordering.PARTITION, records, done, 5);
    print(
        "keys",
        "\"keyPerSecond\": %.0f, \"partitionPerSecond\": %.0f, \"ratio\": %.1f",
        records / keys,
        records / partition,
        partition / keys);
  }

  /** Seconds from the first record to the last. */
  private double consume(
      String name, String topic, Ordering ordering, int records, AtomicLong done, int sleepMs)
      throws Exception {
    try (InboxConsumer consumer = consumer(name, topic, ordering, 64, done, sleepMs)) {
      consumer.start();
      Awaitility.await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(LONG)
          .until(() -> done.get() > 0);
      long begun = System.nanoTime();
      Awaitility.await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(LONG)
          .until(() -> done.get() >= records);
      double seconds = (System.nanoTime() - begun) / 1e9;
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
        Awaitility.await().atMost(LONG).until(() -> committed(admin, name) == records);
      }
      return seconds;
    }
  }

  private InboxConsumer consumer(
      String name, String topic, Ordering ordering, int concurrency, AtomicLong done, int sleepMs) {
    BatchInboxHandler<byte[]> nothing = (messages, tx) -> {};
    InboxHandler<byte[]> slow = (message, tx) -> TimeUnit.MILLISECONDS.sleep(sleepMs);
    Subscription subscription =
        sleepMs == 0
            ? Subscription.topics(topic).batchesDecodedBy(BYTES, nothing)
            : Subscription.topics(topic).decodedBy(BYTES, slow);
    return settings(name, ordering, concurrency)
        .subscribe(subscription)
        .listener(report -> done.addAndGet(report.delivered()))
        .build();
  }

  private InboxConsumerBuilder settings(String name, Ordering ordering, int concurrency) {
    return InboxConsumer.builder()
        .name(name)
        .kafka(Map.of("bootstrap.servers", kafka.bootstrapServers(), "max.poll.records", "2000"))
        .dataSource(database)
        .ordering(ordering)
        .concurrency(concurrency);
  }

  private double barePoll(String topic, int records) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", kafka.bootstrapServers(),
                "max.poll.records", "2000",
                "isolation.level", "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (int i = 0; i < PARTITIONS; i++) {
        partitions.add(new TopicPartition(topic, i));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long read = 0;
      long begun = System.nanoTime();
      while (read < records) {
        read += consumer.poll(Duration.ofMillis(100)).count();
      }
      return (System.nanoTime() - begun) / 1e9;
    }
  }

  private void setBack(String group, String topic) throws Exception {
    Map<TopicPartition, OffsetAndMetadata> beginning = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      beginning.put(new TopicPartition(topic, i), new OffsetAndMetadata(0));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      admin.alterConsumerGroupOffsets(group, beginning).all().get();
    }
  }

  private static long committed(Admin admin, String group) throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .values()
        .stream()
        .mapToLong(OffsetAndMetadata::offset)
        .sum();
  }

  private String topic(String base, int partitions) {
    String topic = base + "-" + UUID.randomUUID();
    kafka.createTopic(topic, partitions);
    return topic;
  }

  private void produce(String topic, int records, int bytes, int keys) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", kafka.bootstrapServers(),
                "linger.ms", "20",
                "batch.size", "200000"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      AtomicReference<Exception> failed = new AtomicReference<>();
      for (int i = 0; i < records; i++) {
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(
                topic, ByteBuffer.allocate(4).putInt(i % keys).array(), new byte[bytes]);
        record
            .headers()
            .add("message-id", UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII));
        Future<RecordMetadata> unused =
            producer.send(record, (sent, failure) -> failed.compareAndSet(null, failure));
      }
      producer.flush();
      if (failed.get() != null) {
        throw failed.get();
      }
    }
  }

  private static double cpuPercent(Duration over) throws InterruptedException {
    OperatingSystemMXBean process =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = process.getProcessCpuTime();
    long begun = System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(over.toNanos());
    return 100.0 * (process.getProcessCpuTime() - before) / (System.nanoTime() - begun);
  }

  private static long usedAfterCollection() {
    long used = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getCollectionUsage() != null) {
        used += pool.getCollectionUsage().getUsed();
      }
    }
    return used;
  }

  private static void print(String figure, String format, Object... values) {
    System.out.println(
        "FIGURE {\"figure\": \""
            + figure
            + "\", "
            + String.format(Locale.ROOT, format, values)
            + "}");
  }
}
