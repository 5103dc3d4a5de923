package io.idembox.runtime;

/** Which records are handled one after the other, in the order of their offsets. */
public enum Ordering {
  /** All records of a partition. The default, and the fastest for short handlers. */
  PARTITION,
  /**
   * The records of one key; other keys of the partition run beside them. For handlers that wait for
   * something. Records without a key have no order.
   */
  KEY,
  /** None: any records run beside each other. */
  NONE
}
