package io.idembox.demo.stage;

/** Tells the user how far a run is. Used by one thread. */
public interface Progress {

  /** One sentence about what was just done. */
  void note(String line);

  /**
   * Begins a step whose length is known; the step before it ends.
   *
   * @param total what {@link #reached} will be told at the end
   * @param unit what is counted, in the plural
   */
  void begin(String task, int total, String unit);

  /** How much of the step is done. Cheap: call it as often as you like. */
  void reached(int done);

  /** Ends the step. */
  void end();

  /** Tells nothing. */
  static Progress silent() {
    return new Progress() {
      @Override
      public void note(String line) {}

      @Override
      public void begin(String task, int total, String unit) {}

      @Override
      public void reached(int done) {}

      @Override
      public void end() {}
    };
  }
}
