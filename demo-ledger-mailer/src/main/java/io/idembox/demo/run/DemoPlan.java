package io.idembox.demo.run;

import java.util.List;

/**
 * How much a run does.
 *
 * @param orders distinct orders
 * @param copies how many of the orders are sent a second time under the same message id
 * @param requests how many {@code InvoiceRequested} events follow their orders
 * @param partitions of the orders topic
 * @param killsAtPercent the consumer is killed when this share of all mails has arrived, ascending
 */
record DemoPlan(
    int orders, int copies, int requests, int partitions, List<Integer> killsAtPercent) {

  /** What the script runs. */
  static final DemoPlan FULL = new DemoPlan(2_000, 200, 100, 6, List.of(25, 60));

  DemoPlan {
    killsAtPercent = List.copyOf(killsAtPercent);
    if (orders < 1 || partitions < 1) {
      throw new IllegalArgumentException("a run needs at least one order and one partition");
    }
    if (copies < 0 || copies > orders || requests < 0 || requests > orders) {
      throw new IllegalArgumentException("copies and requests must lie between 0 and " + orders);
    }
    if (killsAtPercent.stream().anyMatch(percent -> percent < 1 || percent > 99)) {
      throw new IllegalArgumentException("a kill must lie between 1 and 99 percent of the work");
    }
  }

  /** Records sent to Kafka. */
  int produced() {
    return orders + copies + requests;
  }

  /** Distinct message ids among them. */
  int identities() {
    return orders + requests;
  }

  /** The count of mails at which that kill is due. */
  int mailsAtKill(int index) {
    return Math.max(1, orders * killsAtPercent.get(index) / 100);
  }
}
