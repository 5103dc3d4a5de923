package io.idembox.benchmarks;

import java.util.UUID;

/** The topics of a run. Those whose orders have the same numbers hold copies of one another. */
enum Topic {
  /** The orders. */
  ORDERS("orders"),
  /** Their copies, with the same message ids. */
  COPIES("copies"),
  /** Copies of every tenth order. */
  KNOWN("known"),
  /** The orders, all in one partition. */
  HOT("hot"),
  /** Ten times as many. */
  BACKLOG("backlog"),
  /** Few orders of 64 keys, for effects that take their time. */
  SLOW("slow"),
  /** The orders, with ids that grow with time. */
  ORDERED("ordered");

  private static final int SLOW_KEYS = 64;

  private final String topicName;

  Topic(String topicName) {
    this.topicName = topicName;
  }

  String topicName() {
    return topicName;
  }

  /** How many records it holds in a run of so many orders. */
  int records(int orders) {
    return switch (this) {
      case ORDERS, COPIES, HOT, ORDERED -> orders;
      case KNOWN -> orders / 10;
      case BACKLOG -> orders * 10;
      case SLOW -> Math.max(SLOW_KEYS, orders / 100);
    };
  }

  /** The order in its n-th record. */
  long number(int n) {
    return this == KNOWN ? n * 10L : n;
  }

  /** The id of an order in its records. */
  UUID id(long number) {
    return this == ORDERED ? Order.timeOrderedId(number) : Order.id(number);
  }

  /** The record's key. */
  String key(long number) {
    return this == SLOW ? "key-" + number % SLOW_KEYS : "order-%08d".formatted(number);
  }

  /** Where its n-th record goes. */
  int partition(int n, int partitions) {
    return switch (this) {
      case HOT -> 0;
      case SLOW -> n % SLOW_KEYS % partitions;
      default -> n % partitions;
    };
  }
}
