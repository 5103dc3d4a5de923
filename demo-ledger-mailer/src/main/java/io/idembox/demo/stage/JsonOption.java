package io.idembox.demo.stage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The file that a run writes its figures to, if somebody wants one. */
public final class JsonOption {
  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures to this file, as one JSON object.")
  private @Nullable Path file;

  /** The file; empty if none was asked for. */
  public Optional<Path> file() {
    return Optional.ofNullable(file);
  }

  /**
   * Looks before the run, not after it: nobody wants to wait a minute for a typing error.
   *
   * @throws ParameterException if the file cannot be written, naming why
   */
  public void refuseUnwritable(CommandLine command) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new ParameterException(command, "--json " + file + " is a folder: name a file");
    }
    if (folder == null || !Files.isDirectory(folder)) {
      throw new ParameterException(
          command, "--json " + file + ": the folder " + folder + " does not exist");
    }
    boolean there = Files.exists(file);
    // Tried, not asked: the rights alone do not tell of a read-only or a made-up file system.
    try {
      FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
      if (!there) {
        Files.delete(file);
      }
    } catch (IOException failure) {
      throw new ParameterException(
          command, "--json " + file + " cannot be written: " + failure.getMessage());
    }
  }
}
