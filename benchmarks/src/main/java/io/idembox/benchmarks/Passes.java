package io.idembox.benchmarks;

/** A workload as one contender goes through it: prepared once, then pass by pass. */
interface Passes extends AutoCloseable {
  /** Makes the state that all passes begin with. */
  void prepare();

  /**
   * One pass, from the same state each time.
   *
   * @throws BenchmarkException if its result is not exactly right
   */
  Pass next();

  /** The passes of a job. */
  static Passes of(Job job) {
    return job.workload().state() == Workload.State.GUARD_ONLY
        ? GuardPasses.of(job)
        : new ConsumerPasses(job);
  }

  @Override
  void close();
}
