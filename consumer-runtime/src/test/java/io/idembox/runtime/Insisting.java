package io.idembox.runtime;

import io.idembox.effect.EffectStoreException;
import java.util.function.Supplier;

/**
 * What an orchestrator does for a process that refuses to start: starts it again. A machine that is
 * busy with other tests may need longer for a fresh JVM's first connections than a start may take.
 */
final class Insisting {
  private static final int TIMES = 6;

  private Insisting() {}

  static void run(InboxConsumer consumer) throws InterruptedException {
    for (int time = 1; ; time++) {
      try {
        consumer.run();
        return;
      } catch (StartRefusedException e) {
        if (time == TIMES) {
          throw e;
        }
        System.out.println("refused, tries again: " + e.getMessage());
      }
    }
  }

  static <T> T connect(Supplier<T> connection) {
    for (int time = 1; ; time++) {
      try {
        return connection.get();
      } catch (EffectStoreException e) {
        if (time == TIMES) {
          throw e;
        }
        System.out.println("refused, tries again: " + e.getMessage());
      }
    }
  }
}
