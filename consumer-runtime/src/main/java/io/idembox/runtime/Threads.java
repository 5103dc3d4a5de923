package io.idembox.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Named daemon threads; virtual ones for work that waits a lot, where the JVM does them well. */
final class Threads {
  private static final Logger log = LoggerFactory.getLogger(Threads.class);
  // Before 24 a virtual thread that waits inside synchronized code, as JDBC pools and drivers have
  // it, holds its carrier: a few slow statements would stop all others (JEP 491).
  private static final int FIRST_WITHOUT_PINNING = 24;

  private Threads() {}

  static ThreadFactory platform(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** For the threads that run handlers and effects. */
  static ThreadFactory workers(String prefix) {
    return Runtime.version().feature() >= FIRST_WITHOUT_PINNING
        ? virtual(prefix)
        : platform(prefix);
  }

  /** {@code Thread.ofVirtual().name(prefix, 1).factory()}, which Java 17 cannot compile. */
  private static ThreadFactory virtual(String prefix) {
    try {
      Class<?> builder = Class.forName("java.lang.Thread$Builder");
      Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Object begun =
          lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual)).invoke();
      Object named =
          lookup
              .findVirtual(
                  builder, "name", MethodType.methodType(builder, String.class, long.class))
              .invoke(begun, prefix, 1L);
      return (ThreadFactory)
          lookup
              .findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class))
              .invoke(named);
    } catch (Throwable e) {
      // A method handle may throw anything; platform threads do the same work.
      log.warn("No virtual threads in this JVM, platform threads are used", e);
      return platform(prefix);
    }
  }
}
