package io.idembox.runtime;

import java.util.List;

/**
 * Records of one partition that share a transaction, in the order of their offsets, and the lanes
 * that they came from.
 *
 * @param careful whether its only record may have ended the process before
 */
record Batch(PartitionWork work, List<FetchedRecord> records, List<Part> parts, boolean careful) {
  /** How many records of a batch came from one lane. */
  record Part(Lane lane, int records) {}

  Batch {
    records = List.copyOf(records);
    parts = List.copyOf(parts);
  }

  FetchedRecord first() {
    return records.get(0);
  }

  FetchedRecord last() {
    return records.get(records.size() - 1);
  }

  int size() {
    return records.size();
  }

  /** Whether all records came from one lane, so that a failure of the batch is the lane's own. */
  boolean isOfOneLane() {
    return parts.size() == 1;
  }

  /** How a record is called in log lines. */
  String nameOf(int index) {
    return Coordinates.of(records.get(index).record());
  }
}
