package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.demo.InvoiceRequested;
import io.idembox.demo.LedgerMailer;
import io.idembox.demo.OrderCreated;
import io.idembox.demo.stage.ConsumerGroup;
import io.idembox.demo.stage.MailServer;
import io.idembox.testkit.EmbeddedServers;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application in this process, on real servers: events in, ledger rows and mails out. */
class LedgerMailerTest {
  private static final int PARTITIONS = 2;

  @TempDir private static Path folder;

  private static EmbeddedServers servers;
  private static MailServer mail;
  private static Environment environment;
  private static ConsumerGroup group;
  private static LedgerMailer mailer;

  @BeforeAll
  static void start() throws Exception {
    servers = EmbeddedServers.start();
    mail = MailServer.start();
    environment = new Environment(servers, mail);
    environment.prepare(PARTITIONS);
    group =
        new ConsumerGroup(
            environment.bootstrapServers(), LedgerMailer.NAME, LedgerMailer.TOPIC, PARTITIONS);
    mailer = LedgerMailer.of(environment.consumerSettings(folder.resolve("batches.log")));
    mailer.start();
  }

  @AfterAll
  static void stop() throws Exception {
    mailer.close();
    group.close();
    mail.close();
    servers.close();
  }

  @Test
  void anOrderIsBookedAndItsInvoiceSent() throws Exception {
    OrderCreated order = order("order-a");

    workOff(event(order));

    assertThat(ledger("order-a")).containsExactly(new BigDecimal("12.50"));
    assertThat(mails("order-a"))
        .containsExactly(
            new MailServer.Received(
                "order-a", "customer@shop.example", "Please pay 12.50 for order-a."));
  }

  @Test
  void anOrderSentTwiceUnderOneIdIsBookedAndBilledOnce() throws Exception {
    PlannedRecord event = event(order("order-b"));

    workOff(event, event);
    workOff(event);

    assertThat(ledger("order-b")).hasSize(1);
    assertThat(mails("order-b")).hasSize(1);
  }

  @Test
  void aRequestForAnInvoiceThatWentOutSendsNoSecondOne() throws Exception {
    OrderCreated order = order("order-c");
    workOff(event(order));

    workOff(request(order));

    assertThat(ledger("order-c")).hasSize(1);
    assertThat(mails("order-c")).hasSize(1);
  }

  @Test
  void aRequestInTheSameBatchAsItsOrderSendsNoSecondInvoice() throws Exception {
    OrderCreated order = order("order-d");

    workOff(event(order), request(order), request(order));

    assertThat(mails("order-d")).hasSize(1);
  }

  @Test
  void anEventOfAnUnknownTypeIsPassedOver() throws Exception {
    PlannedRecord unknown =
        new PlannedRecord("order-e", UUID.randomUUID(), "OrderArchived", order("order-e"));

    workOff(unknown);

    assertThat(ledger("order-e")).isEmpty();
    assertThat(mails("order-e")).isEmpty();
  }

  private static OrderCreated order(String id) {
    return new OrderCreated(id, "customer@shop.example", new BigDecimal("12.50"));
  }

  private static PlannedRecord event(OrderCreated order) {
    return new PlannedRecord(order.id(), UUID.randomUUID(), OrderCreated.TYPE, order);
  }

  private static PlannedRecord request(OrderCreated order) {
    return new PlannedRecord(
        order.id(),
        UUID.randomUUID(),
        InvoiceRequested.TYPE,
        new InvoiceRequested(order.id(), order.customer(), order.amount()));
  }

  /** Sends the events and waits until they are worked off, effects included. */
  private static void workOff(PlannedRecord... events) throws Exception {
    OrderProducer.send(environment.bootstrapServers(), List.of(events));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> group.lag() == 0 && Outcome.unsettledEffects(environment.database()) == 0);
  }

  private static List<BigDecimal> ledger(String orderId) throws Exception {
    List<BigDecimal> amounts = new ArrayList<>();
    try (Connection connection = environment.database().getConnection();
        PreparedStatement query =
            connection.prepareStatement("select amount from ledger where order_id = ?")) {
      query.setString(1, orderId);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          amounts.add(row.getBigDecimal(1));
        }
      }
    }
    return amounts;
  }

  private static List<MailServer.Received> mails(String orderId) throws Exception {
    return mail.received().stream().filter(found -> found.orderId().equals(orderId)).toList();
  }
}
