package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A fault that a {@link FaultRelay} is to make once. Thread-safe. */
public final class Fault {
  enum Kind {
    REQUEST,
    REPLY_TO,
    REPLY
  }

  private final Kind kind;
  private final String text;
  private final byte[] bytes;
  private final AtomicBoolean over = new AtomicBoolean();
  private final CountDownLatch happened = new CountDownLatch(1);

  Fault(Kind kind, String text) {
    if (requireNonNull(text, "text").isEmpty()) {
      throw new IllegalArgumentException("A fault needs a text to look for");
    }
    this.kind = kind;
    this.text = text;
    this.bytes = text.getBytes(StandardCharsets.ISO_8859_1);
  }

  Kind kind() {
    return kind;
  }

  byte[] bytes() {
    return bytes;
  }

  boolean isOver() {
    return over.get();
  }

  /** True for the one connection that makes it happen. */
  boolean claim() {
    return over.compareAndSet(false, true);
  }

  void done() {
    happened.countDown();
  }

  /** Whether the bytes have been lost and the connection reset. */
  public boolean hasHappened() {
    return happened.getCount() == 0;
  }

  /**
   * Waits until the bytes have been lost and the connection reset.
   *
   * @throws TestkitException if that does not happen within the limit, or the thread is interrupted
   */
  public void await(Duration limit) {
    try {
      if (!happened.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new TestkitException("No " + kind + " with '" + text + "' was lost within " + limit);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("Interrupted while waiting for a fault", e);
    }
  }

  /** Makes it not happen, unless it has begun. */
  public void cancel() {
    over.set(true);
  }
}
