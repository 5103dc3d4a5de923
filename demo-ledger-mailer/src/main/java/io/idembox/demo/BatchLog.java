package io.idembox.demo;

import io.idembox.runtime.BatchReport;
import io.idembox.runtime.RunListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Appends one line a batch to a file: delivered, handled and skipped records. The file outlives a
 * killed process and all processes of a run append to the same one, so its sums are the run's.
 * Thread-safe.
 */
final class BatchLog implements RunListener, AutoCloseable {
  private final FileChannel file;

  BatchLog(Path path) throws IOException {
    file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Override
  public synchronized void onBatch(BatchReport batch) {
    String line = batch.delivered() + " " + batch.handled() + " " + batch.skipped() + "\n";
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
    try {
      // Not forced to disk: a killed process loses nothing that the operating system has taken.
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
