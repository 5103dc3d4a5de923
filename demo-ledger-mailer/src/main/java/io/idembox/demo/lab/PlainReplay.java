package io.idembox.demo.lab;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idembox.demo.LedgerMailerSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A replay without an inbox: a loop that does the handler's work for each event, in transactions of
 * a poll's size with one JDBC batch each, and sends the mails after the commit.
 */
final class PlainReplay {

  private PlainReplay() {}

  /**
   * Reads a topic to its end.
   *
   * @param args the settings file; the topic
   */
  public static void main(String[] args) throws Exception {
    LedgerMailerSettings settings = LedgerMailerSettings.read(Path.of(args[0]));
    ObjectReader json = new JsonMapper().readerFor(LedgerEvent.class);
    try (TopicReader topic = new TopicReader(settings.bootstrapServers(), args[1], "plain-replay");
        Connection connection = DriverManager.getConnection(settings.jdbcUrl());
        PreparedStatement insert = connection.prepareStatement(LedgerEventHandler.INSERT);
        PlainMailer mailer = new PlainMailer(settings.mail())) {
      connection.setAutoCommit(false);
      long began = System.nanoTime();
      for (var records = topic.next(); !records.isEmpty(); records = topic.next()) {
        List<LedgerEvent> mails = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
          LedgerEvent event = json.readValue(record.value());
          insert.setString(1, event.id());
          insert.setBigDecimal(2, event.amount());
          insert.addBatch();
          if (event.invoice()) {
            mails.add(event);
          }
        }
        insert.executeBatch();
        connection.commit();
        for (LedgerEvent event : mails) {
          mailer.send(event.mail());
        }
        topic.ack();
      }
      LabLines.say("micros " + (System.nanoTime() - began) / 1_000);
    }
  }
}
