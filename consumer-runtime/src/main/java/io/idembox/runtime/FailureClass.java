package io.idembox.runtime;

/** What a failed batch means for what is done next. */
enum FailureClass {
  /** A server is away or refuses everybody: pause and try again; no record is to blame. */
  INFRASTRUCTURE,
  /** Somebody else holds what this batch needs: try again after a moment; no record is to blame. */
  CONTENTION,
  /** Transactions got in each other's way: try again at once with half the batch. */
  CONFLICT,
  /** One record is to blame, and may succeed later: split until it stands alone, then retry. */
  TRANSIENT,
  /** One record is to blame, and no retry can help: a dead letter at once. */
  PERMANENT,
  /** One record cannot be read, or has no usable id: a dead letter at once. */
  UNDECODABLE,
  /** A handler needs an effect that waits for a person: a dead letter until it is settled. */
  HELD;

  /** Whether a record is to blame, rather than a server or another transaction. */
  boolean isRecords() {
    return this != INFRASTRUCTURE && this != CONTENTION && this != CONFLICT;
  }
}
