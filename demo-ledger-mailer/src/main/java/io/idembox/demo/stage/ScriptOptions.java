package io.idembox.demo.stage;

import java.io.PrintStream;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What the script tells, which knows the module's folder and whether somebody watches. */
public final class ScriptOptions {
  @Option(names = "--work-dir", paramLabel = "DIR", hidden = true, defaultValue = "target/demo")
  private Path workDir = Path.of("target/demo");

  @Option(names = "--bar", hidden = true)
  private boolean bar;

  /** The folder for settings and logs. */
  public Path workDir() {
    return workDir;
  }

  /** A bar where somebody watches, else lines. */
  public Progress progress(PrintStream out) {
    return bar ? new BarProgress(out) : new PlainProgress(out);
  }
}
