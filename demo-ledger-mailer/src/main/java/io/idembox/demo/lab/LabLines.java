package io.idembox.demo.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What workers tell the lab: marked lines in their output, which outlive a killed worker. */
final class LabLines {
  private static final String MARK = "lab> ";

  private LabLines() {}

  /** In a worker: writes a line. */
  static void say(String line) {
    // In one piece: two workers may append to one file.
    System.out.print(MARK + line + "\n");
    System.out.flush();
  }

  /** In a worker: writes a line, and stands still there until it is killed. */
  static void sayAndStandStill(String line) throws InterruptedException {
    say(line);
    new CountDownLatch(1).await();
  }

  /** In the lab: the rest of each line that begins with this word. */
  static List<String> of(Path log, String word) throws IOException {
    if (!Files.exists(log)) {
      return List.of();
    }
    String beginning = MARK + word;
    // The last line may be half written.
    String text = Files.readString(log);
    return text.substring(0, text.lastIndexOf('\n') + 1)
        .lines()
        .filter(line -> line.startsWith(beginning))
        .map(line -> line.substring(beginning.length()).strip())
        .toList();
  }
}
