package io.idembox.demo.run;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a run came to. The members' names are those of the JSON file, and all are numbers.
 *
 * @param produced records sent to Kafka
 * @param orders distinct orders among them
 * @param deliveries records handed to consumer processes, redeliveries and the rewind included
 * @param handled distinct message identities that were handled, counted in PostgreSQL
 * @param skipped deliveries that the inbox recognised
 * @param ledgerRows rows in the ledger, counted in PostgreSQL
 * @param mails invoices in the customers' mailboxes, counted at the mail server
 * @param duplicates ledger rows and mails beyond the first of an order, or of no order
 * @param lost ledger rows and mails that an order lacks, or that say something else than the order
 * @param kills how often the consumer process was killed
 * @param seconds from the start of the servers to the end of the count
 */
record RunFigures(
    int produced,
    int orders,
    long deliveries,
    long handled,
    long skipped,
    long ledgerRows,
    long mails,
    long duplicates,
    long lost,
    int kills,
    double seconds) {

  /** Whether every order has exactly one ledger row and one mail, and every id was handled once. */
  boolean exactlyRight(DemoPlan plan) {
    return duplicates == 0
        && lost == 0
        && ledgerRows == plan.orders()
        && mails == plan.orders()
        && handled == plan.identities();
  }

  /**
   * Writes the JSON file.
   *
   * @throws IOException if it cannot be written
   */
  void writeTo(Path file) throws IOException {
    JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    Files.writeString(file, mapper.writeValueAsString(this) + "\n");
  }

  /** Prints the table. */
  void print(PrintStream out) {
    row(out, "produced", produced);
    row(out, "orders", orders);
    row(out, "deliveries", deliveries);
    row(out, "handled", handled);
    row(out, "skipped", skipped);
    row(out, "ledger rows", ledgerRows);
    row(out, "mails", mails);
    row(out, "duplicates", duplicates);
    row(out, "lost", lost);
    row(out, "kills", kills);
    row(out, "seconds", seconds);
    if (deliveries != handled + skipped) {
      out.println(
          "  Deliveries need not be handled plus skipped: each process writes down its deliveries after"
              + " a commit,");
      out.println(
          "  and a killed one had not come to its last. Handled, rows and mails are counted afterwards.");
    }
  }

  private static void row(PrintStream out, String name, Object value) {
    out.printf("  %-12s %8s%n", name, value);
  }
}
