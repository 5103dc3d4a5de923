package io.idembox.effect;

import java.util.concurrent.Executor;

/**
 * A thread for each task: the common pool may have one thread only, which a task that waits for
 * another would hold.
 */
final class Background {
  static final Executor THREADS =
      task -> {
        Thread thread = new Thread(task, "background");
        thread.setDaemon(true);
        thread.start();
      };

  private Background() {}
}
