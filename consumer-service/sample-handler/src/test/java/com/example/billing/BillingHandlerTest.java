package com.example.billing;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.Subscription;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** The handler and its effect on real servers, which the test kit starts. */
@WithServers({Server.KAFKA, Server.POSTGRES, Server.REDIS})
final class BillingHandlerTest {
  private final List<String> invoices = new CopyOnWriteArrayList<>();
  private TestScope scope;

  @Test
  void anOrderThatComesTwiceIsBookedOnceAndInvoicedOnce() throws Exception {
    execute("create table ledger (order_id text, amount numeric, currency text)");
    String topic = scope.topic("orders", 1);
    send(topic, "message-1", "{\"id\":\"order-1\",\"customer\":\"c\",\"amount\":12.50}");
    send(topic, "message-1", "{\"id\":\"order-1\",\"customer\":\"c\",\"amount\":12.50}");
    send(topic, "message-2", "{\"id\":\"order-2\",\"customer\":\"c\",\"amount\":3}");

    HttpServer invoiceService = invoiceService();
    try (InboxConsumer consumer =
        InboxConsumer.builder()
            .name(scope.namespace())
            .kafka(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))
            .dataSource(scope.postgres().dataSource())
            .migrateAtStart()
            .redis(scope.redis().uri())
            .effects(new InvoiceEffect(new InvoiceEffect.Config(url(invoiceService))))
            .subscribe(
                Subscription.topics(topic)
                    .json(
                        OrderCreated.class,
                        new BillingHandler(
                            new BillingHandler.Config("EUR"), new SimpleMeterRegistry())))
            .build()) {
      consumer.start();
      await().atMost(Duration.ofSeconds(60)).until(() -> invoices.size() == 2);
      assertEquals(2, count("select count(*) from ledger where currency = 'EUR'"));
      assertEquals(List.of("order-1 12.50 EUR", "order-2 3 EUR"), invoices.stream().sorted().toList());
    } finally {
      invoiceService.stop(0);
    }
  }

  private HttpServer invoiceService() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          invoices.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] number = ("no. " + invoices.size()).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, number.length);
          exchange.getResponseBody().write(number);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static URI url(HttpServer server) {
    return URI.create(
        "http://" + server.getAddress().getHostString() + ":" + server.getAddress().getPort() + "/");
  }

  private void send(String topic, String messageId, String json) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", scope.kafka().bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      ProducerRecord<String, String> record = new ProducerRecord<>(topic, json);
      record.headers().add("message-id", messageId.getBytes(StandardCharsets.UTF_8));
      producer.send(record).get();
    }
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = scope.postgres().dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private long count(String sql) throws Exception {
    try (Connection connection = scope.postgres().dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
