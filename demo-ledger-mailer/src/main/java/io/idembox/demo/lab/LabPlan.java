package io.idembox.demo.lab;

/**
 * How much the lab does.
 *
 * @param overnight messages that are redelivered in scenario 5
 * @param known events of the copied topic that were handled before, in scenario 6
 * @param fresh events of it that were not
 */
record LabPlan(int overnight, int known, int fresh) {

  /** The articles' sizes. */
  static final LabPlan FULL = new LabPlan(12_000, 338_400, 1_600);

  LabPlan {
    if (overnight < 1 || known < 1 || fresh < 1) {
      throw new IllegalArgumentException("each part of the lab needs at least one message");
    }
  }

  /** Whether there are events enough for the time of each to say more than that of the start. */
  boolean timesCount() {
    return copied() >= 100_000;
  }

  /** All events of the copied topic. */
  int copied() {
    return known + fresh;
  }
}
