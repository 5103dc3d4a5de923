package io.idembox.benchmarks;

/** A contender at work. */
interface Consumption extends AutoCloseable {
  /** Ends it: what was finished is committed to Kafka, all connections are closed. */
  @Override
  void close();
}
