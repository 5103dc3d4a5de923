package io.idembox.runtime;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;

/** A consumer process whose handler, or whose effect, runs out of memory over one order. */
final class GreedyConsumer {
  private GreedyConsumer() {}

  /**
   * Runs until it ends itself, or until SIGTERM.
   *
   * @param args brokers, JDBC URL, Redis URI, topic, name, "handler" or "effect"
   */
  public static void main(String[] args) throws InterruptedException {
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(args[1]);
    boolean inHandler = args[5].equals("handler");
    InboxConsumer consumer =
        InboxConsumer.builder()
            .name(args[4])
            .kafka(Map.of("bootstrap.servers", args[0]))
            .dataSource(database)
            .redis(args[2])
            .effects(
                new ScriptedEffect(
                    new Sink(database).policy(), attempt -> inHandler ? "sent" : allOfIt()))
            .subscribe(
                Subscription.topics(args[3])
                    .json(
                        Orders.Order.class,
                        (message, tx) -> {
                          if (inHandler && message.offset() == 2) {
                            allOfIt();
                          }
                          Orders.book(message, tx);
                        }))
            .build();
    Insisting.run(consumer);
  }

  private static String allOfIt() {
    long[][] memory = new long[1 << 20][];
    for (int i = 0; i < memory.length; i++) {
      memory[i] = new long[1 << 20];
    }
    return "never " + memory.length;
  }
}
