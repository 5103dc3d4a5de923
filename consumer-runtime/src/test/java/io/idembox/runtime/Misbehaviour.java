package io.idembox.runtime;

import io.idembox.inbox.InboxTransaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** What a case's handler does wrong, by order. */
final class Misbehaviour {
  private final String failing;
  private final String nulls;
  private final int nullTimes;
  private final boolean errors;
  private final AtomicInteger broughtNull = new AtomicInteger();

  Misbehaviour(Map<String, String> settings) {
    failing = settings.getOrDefault("failing", "");
    String[] given = settings.getOrDefault("nulls", ":0").split(":", -1);
    nulls = given[0];
    nullTimes = Integer.parseInt(given[1]);
    errors = settings.containsKey("errors");
  }

  void over(InboxMessage<Orders.Order> message, InboxTransaction tx) throws SQLException {
    Orders.Order order = message.value();
    if (order == null) {
      return;
    }
    if (order.id().equals(failing)) {
      throw new IllegalStateException("always fails");
    }
    if (order.id().equals(nulls) && broughtNull.incrementAndGet() <= nullTimes) {
      try (PreparedStatement insert =
          tx.connection()
              .prepareStatement("insert into ledger(order_id, message_id) values (null, ?)")) {
        insert.setObject(1, message.id());
        insert.executeUpdate();
      }
    }
    if (errors) {
      fail(order.id());
    }
  }

  private static void fail(String order) {
    switch (order) {
      case "overflowing" -> throw new StackOverflowError();
      case "missing" -> throw new NoClassDefFoundError("io/gone/Missing");
      case "killing" -> CrashPoint.crash();
      case "greedy" -> useUpTheHeap();
      default -> {}
    }
  }

  private static void useUpTheHeap() {
    long[][] memory = new long[1 << 20][];
    for (int i = 0; i < memory.length; i++) {
      memory[i] = new long[1 << 20];
    }
    throw new IllegalStateException("never " + memory.length);
  }
}
