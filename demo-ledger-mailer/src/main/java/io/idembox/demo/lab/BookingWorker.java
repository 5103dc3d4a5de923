package io.idembox.demo.lab;

import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.demo.InvoiceMail;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.demo.OrderCreated;
import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.InboxMessage;
import io.idembox.runtime.Subscription;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * A consumer whose handler books an order and sends its invoice inside of the transaction, so that
 * a crash can come between the mail and the commit.
 */
final class BookingWorker {

  private BookingWorker() {}

  /**
   * Runs until it is told to stop.
   *
   * @param args the settings file; the topic, which also names the consumer; {@code halt} to stand
   *     still between the first mail and the commit
   */
  public static void main(String[] args) throws Exception {
    LedgerMailerSettings settings = LedgerMailerSettings.read(Path.of(args[0]));
    String topic = args[1];
    boolean halt = args.length > 2 && args[2].equals("halt");
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(settings.jdbcUrl());
    try (HikariDataSource dataSource = new HikariDataSource(pool);
        InvoiceMailEffect mail = new InvoiceMailEffect(settings.mail());
        InboxConsumer consumer =
            InboxConsumer.builder()
                .name(topic)
                .kafka(
                    Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers(),
                        // A killed process holds its partition for this long.
                        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 3_000,
                        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 500))
                .dataSource(dataSource)
                .redis(settings.redisUri())
                .effects(mail)
                .subscribe(Subscription.topics(topic).json(OrderCreated.class, new Handler(halt)))
                .listener(batch -> LabLines.say("skipped " + batch.skipped()))
                .build()) {
      consumer.run();
    }
  }

  private record Handler(boolean halt) implements InboxHandler<OrderCreated> {
    @Override
    public void handle(InboxMessage<OrderCreated> message, InboxTransaction tx) throws Exception {
      LabLines.say("handling " + message.offset());
      OrderCreated order = requireNonNull(message.value());
      tx.handle()
          .execute(
              "insert into ledger(order_id, amount) values (?, ?)", order.id(), order.amount());
      tx.effects()
          .once(
              InvoiceMailEffect.INVOICE_MAIL,
              EffectKey.of("mail.invoice").id(order.id()),
              new InvoiceMail(order));
      if (halt) {
        LabLines.sayAndStandStill("before the commit");
      }
    }
  }
}
