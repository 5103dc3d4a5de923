package io.idembox.demo.lab;

/** What a scenario counts. */
enum Figure {
  /** Messages or jobs handed to a handler or to the inbox, first ones and repeated ones. */
  DELIVERIES("deliveries", "deliveries"),
  /** Ledger rows, counted in PostgreSQL. */
  ROWS("rows", "ledger rows"),
  /** Mails, counted at the mail server. */
  MAILS("mails", "mails"),
  /** Deliveries that were recognised as done. */
  SKIPPED("skipped", "skipped"),
  /** Deliveries that were handled to success. */
  HANDLED("handled", "handled"),
  /** Rows and mails beyond the first of an order. */
  DUPLICATES("duplicates", "duplicates"),
  /** What it took. */
  SECONDS("seconds", "seconds"),
  /** Time of the whole replay, divided by its events. */
  MICROS_PER_SKIP("microsPerSkip", "microseconds an event"),
  /** Different receipts that the workers got. */
  RECEIPTS("receipts", "different receipts"),
  /** Answers "in progress, requeue". */
  REQUEUED("requeued", "told to requeue");

  private final String member;
  private final String label;

  Figure(String member, String label) {
    this.member = member;
    this.label = label;
  }

  /** Its name in the JSON. */
  String member() {
    return member;
  }

  /** Its name in the table. */
  String label() {
    return label;
  }

  /** Whether it stands in the JSON's {@code ours}; the others stand with the comparisons only. */
  boolean isHeadline() {
    return this != RECEIPTS && this != REQUEUED;
  }

  /** Times depend on the machine: they are limits, while counts are exact. */
  boolean isTime() {
    return this == SECONDS || this == MICROS_PER_SKIP;
  }
}
