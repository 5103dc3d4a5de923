package io.idembox.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** What keeps a consumer as a whole from going on at full speed. Thread-safe. */
final class Brakes {
  private static final Duration BACKLOG_PAUSE = Duration.ofSeconds(1);

  private final HandlerHealth health;
  private final LongSupplier unsettledEffects;
  private final long mostUnsettled;

  /**
   * A wait before a batch.
   *
   * @param detail for the status of its partition
   */
  record Brake(Stall.Reason reason, String detail, Duration pause) {}

  Brakes(HandlerHealth health, LongSupplier unsettledEffects, long mostUnsettled) {
    this.health = health;
    this.unsettledEffects = unsettledEffects;
    this.mostUnsettled = mostUnsettled;
  }

  /** How many records a batch may hold. */
  int mostRecords() {
    return health.isOpen() ? 1 : Integer.MAX_VALUE;
  }

  /** Asks for a batch's turn: empty means go. */
  Optional<Brake> ask() {
    long unsettled = unsettledEffects.getAsLong();
    if (unsettled >= mostUnsettled) {
      return Optional.of(
          new Brake(
              Stall.Reason.EFFECTS_BACKLOG,
              unsettled + " effects are unsettled, the most is " + mostUnsettled,
              BACKLOG_PAUSE));
    }
    return health
        .tryAttempt()
        .map(pause -> new Brake(Stall.Reason.HANDLER_FAILING, health.detail(), pause));
  }
}
