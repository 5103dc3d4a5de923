package io.idembox.benchmarks;

import static io.idembox.benchmarks.Contender.HAND_TUNED_1;
import static io.idembox.benchmarks.Contender.HAND_TUNED_4;
import static io.idembox.benchmarks.Contender.IDEMBOX_BATCH;
import static io.idembox.benchmarks.Contender.IDEMBOX_EMPTY_INBOX;
import static io.idembox.benchmarks.Contender.IDEMBOX_ENQUEUE;
import static io.idembox.benchmarks.Contender.IDEMBOX_NO_EFFECT;
import static io.idembox.benchmarks.Contender.IDEMBOX_STATEMENTS;
import static io.idembox.benchmarks.Contender.PARALLEL_CONSUMER;
import static io.idembox.benchmarks.Contender.RAW_POLL;
import static io.idembox.benchmarks.Contender.SPRING_BATCH;
import static io.idembox.benchmarks.Contender.SPRING_BATCH_STATEMENTS;
import static io.idembox.benchmarks.Contender.SPRING_RECORD_4;
import static io.idembox.benchmarks.Contender.SPRING_RECORD_8;
import static io.idembox.benchmarks.Contender.SPRING_SETNX;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;

/** What is measured. Each pass of a workload starts from the same state and is verified. */
enum Workload {
  /** All records are new. */
  FIRST_PASS(
      "first-pass",
      Topic.ORDERS,
      State.EMPTY,
      EffectMode.NONE,
      List.of(
          HAND_TUNED_1,
          HAND_TUNED_4,
          IDEMBOX_ENQUEUE,
          IDEMBOX_STATEMENTS,
          IDEMBOX_BATCH,
          SPRING_RECORD_4,
          SPRING_RECORD_8,
          SPRING_BATCH,
          SPRING_BATCH_STATEMENTS,
          PARALLEL_CONSUMER)),
  /** All records were handled by the same group, which was then rewound. */
  REPLAY(
      "replay",
      Topic.ORDERS,
      State.HANDLED,
      EffectMode.NONE,
      List.of(
          RAW_POLL,
          HAND_TUNED_1,
          HAND_TUNED_4,
          IDEMBOX_ENQUEUE,
          SPRING_RECORD_4,
          SPRING_RECORD_8,
          SPRING_BATCH,
          PARALLEL_CONSUMER)),
  /** All records are copies, in another topic, of records that were handled. */
  REPLAY_BY_ID(
      "replay-by-id",
      Topic.COPIES,
      State.HANDLED,
      EffectMode.NONE,
      List.of(
          HAND_TUNED_1,
          HAND_TUNED_4,
          IDEMBOX_ENQUEUE,
          SPRING_RECORD_4,
          SPRING_RECORD_8,
          SPRING_BATCH)),
  /** Every tenth record is a copy of one that was handled. */
  MIXED(
      "mixed",
      Topic.ORDERS,
      State.TENTH_HANDLED,
      EffectMode.NONE,
      List.of(HAND_TUNED_4, IDEMBOX_ENQUEUE, SPRING_RECORD_8, SPRING_BATCH)),
  /** A first pass with an effect for each record, asked for in the transaction, run after it. */
  EFFECT_AFTER_COMMIT(
      "effect-after-commit",
      Topic.ORDERS,
      State.EMPTY,
      EffectMode.AFTER_COMMIT,
      List.of(IDEMBOX_ENQUEUE, IDEMBOX_NO_EFFECT, SPRING_SETNX)),
  /** A first pass with an effect for each record, run inside of the transaction. */
  EFFECT_ONCE(
      "effect-once",
      Topic.ORDERS,
      State.EMPTY,
      EffectMode.ONCE,
      List.of(IDEMBOX_ENQUEUE, SPRING_SETNX)),
  /** The guard alone: keys of effects that were all completed before. */
  GUARD_LOOKUP(
      "guard-lookup",
      Topic.ORDERS,
      State.GUARD_ONLY,
      EffectMode.ONCE,
      List.of(IDEMBOX_ENQUEUE, SPRING_SETNX)),
  /** A first pass with a database half a millisecond away. */
  FIRST_PASS_LATENCY(
      "first-pass-latency",
      Topic.ORDERS,
      State.EMPTY,
      EffectMode.NONE,
      List.of(HAND_TUNED_4, IDEMBOX_ENQUEUE, SPRING_RECORD_4, SPRING_RECORD_8, SPRING_BATCH)),
  /** A replay by id with a database half a millisecond away. */
  REPLAY_BY_ID_LATENCY(
      "replay-by-id-latency",
      Topic.COPIES,
      State.HANDLED,
      EffectMode.NONE,
      List.of(HAND_TUNED_4, IDEMBOX_ENQUEUE, SPRING_RECORD_4, SPRING_RECORD_8, SPRING_BATCH)),
  /** A first pass over one partition that has all the records. */
  HOT_PARTITION(
      "hot-partition",
      Topic.HOT,
      State.EMPTY,
      EffectMode.NONE,
      List.of(HAND_TUNED_4, IDEMBOX_ENQUEUE, SPRING_RECORD_8, SPRING_BATCH, PARALLEL_CONSUMER)),
  /** Effects of 50 ms, asked for by records of 64 keys. */
  SLOW_EFFECT(
      "slow-effect",
      Topic.SLOW,
      State.EMPTY,
      EffectMode.SLOW,
      List.of(IDEMBOX_ENQUEUE, SPRING_SETNX, PARALLEL_CONSUMER)),
  /** A first pass over ten times as many records: how cost grows. */
  BACKLOG(
      "backlog",
      Topic.BACKLOG,
      State.EMPTY,
      EffectMode.NONE,
      List.of(HAND_TUNED_4, IDEMBOX_ENQUEUE, SPRING_BATCH)),
  /** A first pass where the inbox has tens of millions of rows; minutes to prepare. */
  LARGE_INBOX(
      "large-inbox",
      Topic.ORDERED,
      State.LARGE,
      EffectMode.NONE,
      List.of(IDEMBOX_ENQUEUE, IDEMBOX_EMPTY_INBOX));

  /** What a pass begins with. */
  enum State {
    EMPTY,
    HANDLED,
    TENTH_HANDLED,
    LARGE,
    GUARD_ONLY
  }

  private final String label;
  private final Topic topic;
  private final State state;
  private final EffectMode effects;

  @SuppressWarnings("ImmutableEnumChecker") // List.of makes it so
  private final List<Contender> contenders;

  Workload(String label, Topic topic, State state, EffectMode effects, List<Contender> contenders) {
    this.label = label;
    this.topic = topic;
    this.state = state;
    this.effects = effects;
    this.contenders = contenders;
  }

  /**
   * The workload of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  @JsonCreator
  static Workload named(String label) {
    for (Workload workload : values()) {
      if (workload.label.equals(label)) {
        return workload;
      }
    }
    throw new IllegalArgumentException(
        "no workload is named '" + label + "'; there are " + List.of(values()));
  }

  Topic topic() {
    return topic;
  }

  State state() {
    return state;
  }

  EffectMode effects() {
    return effects;
  }

  /** The contenders, in the order in which they take turns. */
  List<Contender> contenders() {
    return contenders;
  }

  /** Whether it is measured without being asked for by name. */
  boolean isUsual() {
    return this != LARGE_INBOX;
  }

  /** Whether half a millisecond is added to each round trip to the database. */
  boolean isLatency() {
    return this == FIRST_PASS_LATENCY || this == REPLAY_BY_ID_LATENCY;
  }

  @Override
  @JsonValue
  public String toString() {
    return label;
  }
}
