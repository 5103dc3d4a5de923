package io.idembox.demo.lab;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.Subscription;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** The consumer of the topic as it was before the migration. */
final class MigrationConsumer {

  /** Its consumer name and consumer group. */
  static final String NAME = "ledger";

  private MigrationConsumer() {}

  /**
   * Runs until it is told to stop.
   *
   * @param args the settings file; the topic
   */
  public static void main(String[] args) throws Exception {
    LedgerMailerSettings settings = LedgerMailerSettings.read(Path.of(args[0]));
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(settings.jdbcUrl());
    try (HikariDataSource dataSource = new HikariDataSource(pool);
        InvoiceMailEffect mail = new InvoiceMailEffect(settings.mail());
        InboxConsumer consumer =
            InboxConsumer.builder()
                .name(NAME)
                .kafka(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers()))
                .dataSource(dataSource)
                .redis(settings.redisUri())
                .effects(mail)
                .subscribe(
                    Subscription.topics(args[1]).json(LedgerEvent.class, new LedgerEventHandler()))
                .build()) {
      consumer.run();
    }
  }
}
