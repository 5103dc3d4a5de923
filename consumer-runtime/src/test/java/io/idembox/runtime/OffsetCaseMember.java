package io.idembox.runtime;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.inbox.InboxTransaction;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A member in a process of its own, for the field cases; it says on its output what it does. */
final class OffsetCaseMember {
  private OffsetCaseMember() {}

  /**
   * Runs until SIGTERM.
   *
   * @param args brokers, JDBC URL, Redis URI, topic, name; then settings: {@code sleep=ORDER:MS}
   *     for one order's handler, {@code handlerMs=MS} for all, {@code commitMs=MS}, {@code
   *     sessionMs=MS}, {@code metadataMs=MS}, {@code big=BYTES} for the largest record, {@code
   *     bytes} for values that are not JSON, {@code latest} to start at the end; {@code
   *     failing=ORDER} for one that always fails, {@code nulls=ORDER:TIMES} for one that brings a
   *     null where the table wants none, {@code errors} for orders whose names say what they do,
   *     {@code maxAttempts=N}, {@code backoffMs=MS}, {@code dlq=TOPIC}
   */
  public static void main(String[] args) throws InterruptedException {
    Map<String, String> set = new HashMap<>();
    for (String setting : List.of(args).subList(5, args.length)) {
      int at = setting.indexOf('=');
      set.put(at < 0 ? setting : setting.substring(0, at), setting.substring(at + 1));
    }
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(args[1]);
    database.setMaximumPoolSize(10);
    Map<String, Object> kafka =
        new HashMap<>(
            Map.of(
                "bootstrap.servers",
                args[0],
                "session.timeout.ms",
                set.getOrDefault("sessionMs", "6000"),
                "metadata.max.age.ms",
                set.getOrDefault("metadataMs", "300000"),
                "heartbeat.interval.ms",
                "1000"));
    if (set.containsKey("big")) {
      kafka.put("max.partition.fetch.bytes", set.get("big"));
    }
    Subscription.Topics topics = Subscription.topics(args[3]);
    Misbehaviour misbehaviour = new Misbehaviour(set);
    InboxConsumerBuilder member =
        InboxConsumer.builder()
            .name(args[4])
            .kafka(kafka)
            .dataSource(database)
            .redis(args[2])
            .effects(new Sink(database))
            .subscribe(
                set.containsKey("bytes")
                    ? topics.decodedBy(
                        Decoders.bytes(), (message, tx) -> bookBytes(message, tx, set))
                    : topics.json(
                        Orders.Order.class,
                        (message, tx) -> {
                          misbehaviour.over(message, tx);
                          book(message, tx, set);
                        }))
            .maxAttempts(Integer.parseInt(set.getOrDefault("maxAttempts", "10")))
            .retryBackoff(
                Duration.ofMillis(Long.parseLong(set.getOrDefault("backoffMs", "20"))),
                Duration.ofSeconds(2))
            .commitInterval(Duration.ofMillis(Long.parseLong(set.getOrDefault("commitMs", "50"))))
            .sweepInterval(Duration.ofMillis(500))
            .listener(
                report ->
                    System.out.printf(
                        "BATCH delivered=%d handled=%d skipped=%d%n",
                        report.delivered(), report.handled(), report.skipped()))
            .meters(SpokenMeters.ofOffsets());
    if (set.containsKey("latest")) {
      member.start(StartPosition.LATEST);
    }
    if (set.containsKey("dlq")) {
      member.deadLetterTopic(set.get("dlq"));
    }
    Insisting.run(member.build());
  }

  private static void book(
      InboxMessage<Orders.Order> message, InboxTransaction tx, Map<String, String> set)
      throws Exception {
    Orders.Order order = message.value();
    if (order == null) {
      tx.enqueue("insert into ledger(order_id, message_id) values (?, ?)", "nothing", message.id());
      return;
    }
    Orders.book(message, tx);
    String[] sleep = set.getOrDefault("sleep", ":0").split(":", -1);
    if (order.id().equals(sleep[0])) {
      System.out.println("HANDLING " + order.id());
      rest(Long.parseLong(sleep[1]));
      System.out.println("HANDLED " + order.id());
    }
    rest(Long.parseLong(set.getOrDefault("handlerMs", "0")));
  }

  private static void bookBytes(
      InboxMessage<byte[]> message, InboxTransaction tx, Map<String, String> set)
      throws InterruptedException {
    byte[] value = message.value();
    tx.enqueue(
        "insert into ledger(order_id, message_id) values (?, ?)",
        "bytes" + (value == null ? 0 : value.length),
        message.id());
    rest(Long.parseLong(set.getOrDefault("handlerMs", "0")));
  }

  /** A handler's work, by the process's own clock: what is frozen rests longer. */
  private static void rest(long ms) throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(ms, TimeUnit.MILLISECONDS);
  }
}
