package io.idembox.inbox;

import java.util.Arrays;

/** The partitions that a batch is about, as a rule one, each with the span of its offsets. */
final class DistinctPartitions {
  private short[] topics = new short[4];
  private int[] partitions = new int[4];
  private long[] lowest = new long[4];
  private long[] highest = new long[4];
  private int count;

  void add(short topic, int partition, long offset) {
    for (int i = count - 1; i >= 0; i--) {
      if (partitions[i] == partition && topics[i] == topic) {
        lowest[i] = Math.min(lowest[i], offset);
        highest[i] = Math.max(highest[i], offset);
        return;
      }
    }
    if (count == topics.length) {
      topics = Arrays.copyOf(topics, count * 2);
      partitions = Arrays.copyOf(partitions, count * 2);
      lowest = Arrays.copyOf(lowest, count * 2);
      highest = Arrays.copyOf(highest, count * 2);
    }
    topics[count] = topic;
    partitions[count] = partition;
    lowest[count] = offset;
    highest[count++] = offset;
  }

  short[] topics() {
    return Arrays.copyOf(topics, count);
  }

  int[] partitions() {
    return Arrays.copyOf(partitions, count);
  }

  long[] lowest() {
    return Arrays.copyOf(lowest, count);
  }

  long[] highest() {
    return Arrays.copyOf(highest, count);
  }
}
