package io.idembox.inbox;

import java.util.Arrays;

/** The partitions that a batch is about; as a rule one. */
final class DistinctPartitions {
  private short[] topics = new short[4];
  private int[] partitions = new int[4];
  private int count;

  void add(short topic, int partition) {
    for (int i = count - 1; i >= 0; i--) {
      if (partitions[i] == partition && topics[i] == topic) {
        return;
      }
    }
    if (count == topics.length) {
      topics = Arrays.copyOf(topics, count * 2);
      partitions = Arrays.copyOf(partitions, count * 2);
    }
    topics[count] = topic;
    partitions[count++] = partition;
  }

  short[] topics() {
    return Arrays.copyOf(topics, count);
  }

  int[] partitions() {
    return Arrays.copyOf(partitions, count);
  }
}
