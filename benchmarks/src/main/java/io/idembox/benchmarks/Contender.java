package io.idembox.benchmarks;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;

/** Who is measured. */
enum Contender {
  /** Polls and counts: the limit of consumption. */
  RAW_POLL("raw-poll"),
  /** One thread, one transaction for each poll, claims and writes in bulk. */
  HAND_TUNED_1("hand-tuned-1"),
  /** The same with four threads: the limit of the database. */
  HAND_TUNED_4("hand-tuned-4"),
  /** Idembox with a handler of single messages that enqueues its writes. */
  IDEMBOX_ENQUEUE("idembox-enqueue"),
  /** Idembox with a handler of single messages that executes its statements one by one. */
  IDEMBOX_STATEMENTS("idembox-statements"),
  /** Idembox with a batch handler. */
  IDEMBOX_BATCH("idembox-batch"),
  /** {@link #IDEMBOX_ENQUEUE} without the workload's effects: what these cost. */
  IDEMBOX_NO_EFFECT("idembox-no-effect"),
  /** {@link #IDEMBOX_ENQUEUE} without the rows that a large inbox has: what these cost. */
  IDEMBOX_EMPTY_INBOX("idembox-empty-inbox"),
  /** Spring Kafka's record listener, a transaction for each record. */
  SPRING_RECORD_4("spring-record-4"),
  SPRING_RECORD_8("spring-record-8"),
  /** Spring Kafka's batch listener with JDBC batches. */
  SPRING_BATCH("spring-batch"),
  /** Spring Kafka's batch listener with single statements. */
  SPRING_BATCH_STATEMENTS("spring-batch-statements"),
  /** {@link #SPRING_RECORD_8} with SET NX, effect, SET. */
  SPRING_SETNX("spring-setnx"),
  /** Confluent Parallel Consumer, ordered by key, sixteen at once. */
  PARALLEL_CONSUMER("parallel-consumer");

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  /**
   * The contender of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  @JsonCreator
  static Contender named(String label) {
    for (Contender contender : values()) {
      if (contender.label.equals(label)) {
        return contender;
      }
    }
    throw new IllegalArgumentException(
        "no contender is named '" + label + "'; there are " + List.of(values()));
  }

  boolean isIdembox() {
    return label.startsWith("idembox");
  }

  /** Begins to consume. */
  Consumption start(Setting setting, Progress progress) {
    return switch (this) {
      case RAW_POLL -> new RawPoll(setting, progress);
      case HAND_TUNED_1 -> new HandTuned(setting, progress, 1);
      case HAND_TUNED_4 -> new HandTuned(setting, progress, 4);
      case IDEMBOX_ENQUEUE, IDEMBOX_EMPTY_INBOX -> Idembox.enqueue(setting, progress);
      case IDEMBOX_STATEMENTS -> Idembox.statements(setting, progress);
      case IDEMBOX_BATCH -> Idembox.batch(setting, progress);
      case IDEMBOX_NO_EFFECT -> Idembox.enqueue(setting.withoutEffects(), progress);
      case SPRING_RECORD_4 -> SpringListener.ofRecords(setting, progress, 4);
      case SPRING_RECORD_8, SPRING_SETNX -> SpringListener.ofRecords(setting, progress, 8);
      case SPRING_BATCH -> SpringListener.ofBatches(setting, progress, true);
      case SPRING_BATCH_STATEMENTS -> SpringListener.ofBatches(setting, progress, false);
      case PARALLEL_CONSUMER -> new ParallelConsumerLoop(setting, progress);
    };
  }

  @Override
  @JsonValue
  public String toString() {
    return label;
  }
}
