package io.idembox.effect;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A guard's own threads: virtual ones where the JVM has them, else as many daemon threads as there
 * is work.
 */
final class GuardExecutor implements Executor {
  private final ExecutorService threads;

  GuardExecutor(String name) {
    threads = virtualThreads(name);
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  void close() {
    threads.shutdown();
  }

  private static ExecutorService virtualThreads(String name) {
    try {
      // Java 21 and later. The number of tasks is bounded by the guard's permits, not by the
      // threads.
      MethodHandle factory =
          MethodHandles.publicLookup()
              .findStatic(
                  Executors.class,
                  "newVirtualThreadPerTaskExecutor",
                  MethodType.methodType(ExecutorService.class));
      return (ExecutorService) factory.invokeExact();
    } catch (Throwable e) {
      AtomicInteger count = new AtomicInteger();
      return Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });
    }
  }
}
