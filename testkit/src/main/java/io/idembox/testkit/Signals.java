package io.idembox.testkit;

import java.io.IOException;
import java.util.List;

/** Sends POSIX signals, of which Java itself knows only SIGTERM and SIGKILL. */
final class Signals {
  private Signals() {}

  /**
   * Sends a signal by its short name ({@code INT}, {@code STOP}, …).
   *
   * @throws TestkitException if no such process is there any more or there is no {@code /bin/sh}
   */
  static void send(long pid, String signal) {
    try {
      Process kill =
          new ProcessBuilder(
                  List.of(
                      "/bin/sh", "-c", "kill -s \"$1\" \"$2\"", "kill", signal, Long.toString(pid)))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (kill.waitFor() != 0) {
        throw new TestkitException("Process " + pid + " takes no SIG" + signal + ": it has ended");
      }
    } catch (IOException e) {
      throw new TestkitException("Cannot send SIG" + signal + " to process " + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException(
          "Interrupted while sending SIG" + signal + " to process " + pid, e);
    }
  }
}
