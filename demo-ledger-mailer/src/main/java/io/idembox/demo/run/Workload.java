package io.idembox.demo.run;

import io.idembox.demo.InvoiceRequested;
import io.idembox.demo.OrderCreated;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * The records of a run.
 *
 * @param orders all orders, each once
 * @param records what is sent, in this order
 */
record Workload(List<OrderCreated> orders, List<PlannedRecord> records) {

  // Few enough that each gets many mails, many enough that no mailbox grows long.
  private static final int CUSTOMERS = 50;

  /** The same seed gives the same records, message ids included. */
  static Workload of(DemoPlan plan, long seed) {
    return new Drawing(plan, new Random(seed)).draw();
  }

  /** A record and its place in the order of sending. */
  private record Placed(double position, PlannedRecord item) {}

  private static final class Drawing {
    private final DemoPlan plan;
    private final Random random;
    private final List<OrderCreated> orders = new ArrayList<>();
    private final List<UUID> orderMessageIds = new ArrayList<>();
    private final List<Placed> placed = new ArrayList<>();

    Drawing(DemoPlan plan, Random random) {
      this.plan = plan;
      this.random = random;
    }

    Workload draw() {
      for (int i = 0; i < plan.orders(); i++) {
        OrderCreated order = order(i);
        orders.add(order);
        orderMessageIds.add(randomId());
        place(i, order.id(), orderMessageIds.get(i), OrderCreated.TYPE, order);
      }
      for (int i = 0; i < plan.copies(); i++) {
        int of = spread(i, plan.copies());
        OrderCreated order = orders.get(of);
        place(behind(of, i), order.id(), orderMessageIds.get(of), OrderCreated.TYPE, order);
      }
      for (int i = 0; i < plan.requests(); i++) {
        int of = spread(i, plan.requests());
        OrderCreated order = orders.get(of);
        InvoiceRequested request =
            new InvoiceRequested(order.id(), order.customer(), order.amount());
        place(behind(of, i), order.id(), randomId(), InvoiceRequested.TYPE, request);
      }
      placed.sort(Comparator.comparingDouble(Placed::position));
      return new Workload(List.copyOf(orders), placed.stream().map(Placed::item).toList());
    }

    private void place(double position, String orderId, UUID id, String type, Object event) {
      placed.add(new Placed(position, new PlannedRecord(orderId, id, type, event)));
    }

    private OrderCreated order(int i) {
      return new OrderCreated(
          "order-%05d".formatted(i + 1),
          "customer-%02d@shop.example".formatted(i % CUSTOMERS + 1),
          BigDecimal.valueOf(random.nextInt(1, 1_000_000), 2));
    }

    /** The index of an order, so that {@code count} of them are spread over all. */
    private int spread(int i, int count) {
      return (int) ((long) i * plan.orders() / count);
    }

    /** A place behind an order: close by for every other record, anywhere later for the rest. */
    private double behind(int order, int i) {
      double gap = i % 2 == 0 ? random.nextDouble() : random.nextDouble() * plan.orders() / 2;
      return order + 0.5 + gap;
    }

    private UUID randomId() {
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      return UUID.nameUUIDFromBytes(bytes);
    }
  }
}
