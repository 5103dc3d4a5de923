package io.idembox.runtime;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a second SIGTERM (or Ctrl-C) mean "now". The first one ends the process as usual, through
 * its shutdown hooks; while they run, Java throws further ones away.
 */
final class SecondSignal {
  private static final Logger log = LoggerFactory.getLogger(SecondSignal.class);
  // What the shell and every orchestrator expect: 128 and the signal's number.
  private static final Map<String, Integer> EXIT_CODES = Map.of("TERM", 143, "INT", 130);

  private final Map<Object, Object> before = new HashMap<>();
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * Takes the signals over.
   *
   * @param hurry is called with each but the first
   */
  SecondSignal(Runnable hurry) {
    EXIT_CODES.forEach((name, code) -> take(name, code, hurry));
  }

  /** By reflection: the class is in every JVM, but no part of what Java 17 compiles against. */
  private void take(String name, int exitCode, Runnable hurry) {
    try {
      Class<?> signals = Class.forName("sun.misc.Signal");
      Class<?> handlers = Class.forName("sun.misc.SignalHandler");
      InvocationHandler onSignal =
          (proxy, method, args) -> {
            if (method.getDeclaringClass() == Object.class) {
              return objectMethod(proxy, method, args);
            }
            if (asked.compareAndSet(false, true)) {
              // It runs the hooks and does not return before they have ended.
              new Thread(() -> System.exit(exitCode), "SIG" + name).start();
            } else {
              hurry.run();
            }
            return null;
          };
      Object handler =
          Proxy.newProxyInstance(
              SecondSignal.class.getClassLoader(), new Class<?>[] {handlers}, onSignal);
      Object signal = signals.getConstructor(String.class).newInstance(name);
      before.put(
          signal, signals.getMethod("handle", signals, handlers).invoke(null, signal, handler));
    } catch (ReflectiveOperationException | RuntimeException e) {
      // -Xrs, or a JVM without it: the second signal is thrown away, as in any other Java process.
      log.debug("SIG{} cannot be watched", name, e);
    }
  }

  private static Object objectMethod(Object proxy, Method method, Object[] args) {
    return switch (method.getName()) {
      case "equals" -> proxy == args[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "SecondSignal";
    };
  }

  /** Gives the signals back. */
  void close() {
    if (asked.get()) {
      // The process is ending; a further signal still means "now".
      return;
    }
    before.forEach(
        (signal, handler) -> {
          try {
            Class<?> signals = Class.forName("sun.misc.Signal");
            Class<?> handlers = Class.forName("sun.misc.SignalHandler");
            signals.getMethod("handle", signals, handlers).invoke(null, signal, handler);
          } catch (ReflectiveOperationException | RuntimeException e) {
            log.debug("{} cannot be given back", signal, e);
          }
        });
  }
}
