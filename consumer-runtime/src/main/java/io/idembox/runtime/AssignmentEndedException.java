package io.idembox.runtime;

/** Rolls a batch back whose partition went to another member while the batch was running. */
final class AssignmentEndedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  AssignmentEndedException(Object partition) {
    super("The assignment of " + partition + " ended while a batch of it was running", null);
  }
}
