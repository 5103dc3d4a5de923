package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

/** Whether progress grew, and how it stands. */
public sealed interface GrowthResult {
  /** How it stands now, whatever happened. */
  PartitionProgress progress();

  /** Which of the two answers this is. */
  Kind kind();

  /** The closed set of answers. */
  enum Kind {
    /** It grew. */
    GROWN,
    /** It did not; the member has missed a change. */
    STALE
  }

  /** It grew: what is stored now holds what was added. */
  record Grown(PartitionProgress progress) implements GrowthResult {
    /** The progress is required. */
    public Grown {
      requireNonNull(progress, "progress");
    }

    @Override
    public Kind kind() {
      return Kind.GROWN;
    }
  }

  /** Nothing was added: the member must take over what is stored, and read again what it lacks. */
  record Stale(PartitionProgress progress, Reason reason) implements GrowthResult {
    /** What the member has missed. */
    public enum Reason {
      /** Ranges were cut by {@code forget}. */
      GENERATION,
      /** The log was truncated: the offsets may stand for other records now. */
      LEADER_EPOCH,
      /** Another server took over: what was committed on the earlier one may be lost. */
      TIMELINE
    }

    /** Both parts are required. */
    public Stale {
      requireNonNull(progress, "progress");
      requireNonNull(reason, "reason");
    }

    @Override
    public Kind kind() {
      return Kind.STALE;
    }
  }
}
