package io.idembox.demo.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sums of what the consumer processes appended, one line a batch.
 *
 * @param deliveries records handed over
 * @param handled of these, handled
 * @param skipped of these, recognised as done
 */
public record BatchTotals(long deliveries, long handled, long skipped) {

  /**
   * Adds up a batch log.
   *
   * @throws IOException if it cannot be read or holds anything else than batches
   */
  public static BatchTotals read(Path batchLog) throws IOException {
    if (!Files.exists(batchLog)) {
      return new BatchTotals(0, 0, 0);
    }
    String text = Files.readString(batchLog);
    // A process that was killed may have left half a line, which the next one continues.
    // It appends whole lines in one write, so this is not seen in practice; it would be refused.
    long deliveries = 0;
    long handled = 0;
    long skipped = 0;
    for (String line : text.lines().toList()) {
      String[] figures = line.split(" ", -1);
      if (figures.length != 3) {
        throw new IOException(batchLog + " holds a line that is no batch: " + line);
      }
      deliveries += Long.parseLong(figures[0]);
      handled += Long.parseLong(figures[1]);
      skipped += Long.parseLong(figures[2]);
    }
    return new BatchTotals(deliveries, handled, skipped);
  }
}
