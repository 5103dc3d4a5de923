package io.idembox.demo.run;

import io.idembox.demo.InvoiceMail;
import io.idembox.demo.OrderCreated;
import io.idembox.demo.stage.MailServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * What a run left behind, compared with its orders one by one. Counted at PostgreSQL and at the
 * mail server, not by asking the library whose work it is.
 *
 * @param handled rows in the inbox: distinct message identities
 * @param ledger the ledger's rows
 * @param mails the invoices in the customers' mailboxes
 */
record Outcome(long handled, Comparison ledger, Comparison mails) {

  /** Counts and compares. */
  static Outcome of(
      List<OrderCreated> orders, DataSource database, List<MailServer.Received> received)
      throws SQLException {
    Map<String, String> expectedRows = new TreeMap<>();
    Map<String, String> expectedMails = new TreeMap<>();
    for (OrderCreated order : orders) {
      expectedRows.put(order.id(), order.amount().toPlainString());
      expectedMails.put(order.id(), order.customer() + ": " + new InvoiceMail(order).text());
    }
    Comparison mails = new Comparison("mail", expectedMails);
    for (MailServer.Received mail : received) {
      mails.found(mail.orderId(), mail.recipient() + ": " + mail.text());
    }
    Comparison rows = new Comparison("ledger row", expectedRows);
    try (Connection connection = database.getConnection()) {
      try (PreparedStatement query =
              connection.prepareStatement("select order_id, amount from ledger");
          ResultSet row = query.executeQuery()) {
        while (row.next()) {
          rows.found(row.getString(1), row.getBigDecimal(2).toPlainString());
        }
      }
      return new Outcome(count(connection, "select count(*) from idembox.inbox"), rows, mails);
    }
  }

  /** Effects that the journal still owes. */
  static long unsettledEffects(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      return count(connection, "select count(*) from idembox.effect where due_at is not null");
    }
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql);
        ResultSet row = query.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Rows and mails beyond the first of an order, or of no order. */
  long duplicates() {
    return ledger.duplicates() + mails.duplicates();
  }

  /** Rows and mails that an order lacks, or that are wrong. */
  long lost() {
    return ledger.lost() + mails.lost();
  }

  /** A few of the duplicates and losses in words; empty if all is right. */
  List<String> faults() {
    List<String> faults = new ArrayList<>(ledger.faults());
    faults.addAll(mails.faults());
    return faults;
  }
}
