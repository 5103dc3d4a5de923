package io.idembox.runtime;

/** What a failed batch means for what is done next. */
enum FailureClass {
  /** A server is away or refuses everybody: pause and try again; no record is to blame. */
  INFRASTRUCTURE,
  /** Somebody else holds what this batch needs: try again after a moment; no record is to blame. */
  CONTENTION,
  /** Transactions got in each other's way: try again at once with half the batch. */
  CONFLICT,
  /** One record is to blame: split until it stands alone. */
  RECORD
}
