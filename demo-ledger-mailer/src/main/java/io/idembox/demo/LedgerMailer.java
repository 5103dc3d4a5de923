package io.idembox.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.runtime.ConsumerException;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.Subscription;
import io.idembox.runtime.TypeName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The consumer process: reads orders, books them and sends invoices until it is told to stop. */
public final class LedgerMailer implements AutoCloseable {

  /** The topic that it reads. */
  public static final String TOPIC = "orders";

  /** Its consumer name and consumer group. */
  public static final String NAME = "billing";

  /** The header that tells an event's type. */
  public static final String TYPE_HEADER = "event-type";

  // A thread for each partition of the demo.
  private static final int LANES = 6;

  // Small transactions, so that a kill finds some records handled and others not yet.
  private static final int BATCH_RECORDS = 50;

  private static final Logger LOG = LoggerFactory.getLogger(LedgerMailer.class);

  private final HikariDataSource dataSource;
  private final InvoiceMailEffect mail;
  private final BatchLog batches;
  private final InboxConsumer consumer;

  private LedgerMailer(LedgerMailerSettings settings) throws IOException {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(settings.jdbcUrl());
    // A connection for each lane, and two more.
    pool.setMaximumPoolSize(LANES + 2);
    // A database that is away is named by the consumer's own start check.
    pool.setInitializationFailTimeout(-1);
    pool.setConnectionTimeout(5_000);
    dataSource = new HikariDataSource(pool);
    mail = new InvoiceMailEffect(settings.mail());
    batches = new BatchLog(settings.batchLog());
    // readme:consumer
    consumer =
        InboxConsumer.builder()
            .name(NAME)
            .kafka(kafka(settings))
            .dataSource(dataSource)
            .redis(settings.redisUri())
            .effects(mail)
            .subscribe(
                Subscription.topics(TOPIC)
                    .types(TypeName.header(TYPE_HEADER))
                    .on(OrderCreated.TYPE, OrderCreated.class, new BillingHandler())
                    .on(InvoiceRequested.TYPE, InvoiceRequested.class, new InvoiceRequestHandler()))
            .concurrency(LANES)
            .batchRecords(BATCH_RECORDS)
            .listener(batches)
            .build();
  }

  /**
   * A consumer that was not started yet.
   *
   * @throws IOException if the batch log cannot be opened
   */
  public static LedgerMailer of(LedgerMailerSettings settings) throws IOException {
    return new LedgerMailer(settings);
  }

  /** Runs the consumer until SIGTERM or Ctrl-C. The argument is a properties file. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length != 1) {
      System.err.println("usage: " + LedgerMailer.class.getSimpleName() + " SETTINGS.properties");
      System.exit(2);
    }
    try (LedgerMailer mailer = of(LedgerMailerSettings.read(Path.of(args[0])))) {
      mailer.consumer.run();
    } catch (IOException | IllegalArgumentException | ConsumerException failure) {
      LOG.error("The ledger mailer ends: {}", failure.getMessage(), failure);
      System.exit(1);
    }
  }

  /**
   * Checks the servers and begins to read, on threads of its own.
   *
   * @throws io.idembox.runtime.StartRefusedException if a server cannot be used, naming it
   */
  public void start() {
    consumer.start();
  }

  /** Stops reading, finishes what runs, and closes all connections. */
  @Override
  public void close() throws IOException {
    consumer.close();
    mail.close();
    dataSource.close();
    batches.close();
  }

  private static Map<String, Object> kafka(LedgerMailerSettings settings) {
    return Map.of(
        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers(),
        // A killed process holds its partitions for this long.
        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 6_000,
        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 1_500);
  }
}
