package io.idembox.benchmarks;

import java.nio.file.Path;

/** Measured runs of one contender: passes, until they have lasted long enough together. */
final class Runs {
  private final Job job;
  private final Passes passes;

  Runs(Job job, Passes passes) {
    this.job = job;
    this.passes = passes;
  }

  void prepare() {
    passes.prepare();
  }

  /**
   * As long as a run, but unmeasured: the compiler goes on for longer than a short pass lasts, and
   * whose code is larger would be measured compiling.
   */
  void warmUp() {
    passes();
  }

  RunFigures run() {
    if (job.profile() == null) {
      return passes();
    }
    try (Profile profile = Profile.start()) {
      RunFigures figures = passes();
      profile.write(
          Path.of(job.profile()).resolve(job.workload() + "-" + job.contender() + ".txt"),
          job,
          figures);
      return figures;
    }
  }

  private RunFigures passes() {
    PeakMemory.reset();
    Pass sum = passes.next();
    while (sum.seconds() < job.seconds()) {
      sum = sum.plus(passes.next());
    }
    return RunFigures.of(sum, PeakMemory.mebibytes());
  }
}
