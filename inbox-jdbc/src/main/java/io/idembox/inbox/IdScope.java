package io.idembox.inbox;

/**
 * How far an id that is no UUID and no CloudEvents pair reaches. Those two are always
 * consumer-wide.
 */
public enum IdScope {
  /** The same id in two topics stands for two messages. The default. */
  TOPIC,
  /** The same id means the same message in every topic of the consumer. */
  CONSUMER
}
