package io.idembox.demo.run;

import io.idembox.demo.Ledger;
import io.idembox.demo.LedgerMailer;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.demo.stage.MailServer;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedServers;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What a run works with: servers that others opened and will close, and the database on one. */
final class Environment {
  private final EmbeddedServers servers;
  private final MailServer mail;
  private final String database;

  Environment(EmbeddedServers servers, MailServer mail) {
    this.servers = servers;
    this.mail = mail;
    this.database = servers.postgres().createDatabase();
  }

  /** Makes schema, table and topic, as a deployment would before the consumer starts. */
  void prepare(int partitions) throws SQLException {
    IdemboxSchema.of(database()).migrate();
    Ledger.createTable(database());
    servers.kafka().createTopic(LedgerMailer.TOPIC, partitions);
  }

  MailServer mail() {
    return mail;
  }

  DataSource database() {
    return servers.postgres().dataSource(database);
  }

  String bootstrapServers() {
    return servers.kafka().bootstrapServers();
  }

  LedgerMailerSettings consumerSettings(Path batchLog) {
    return new LedgerMailerSettings(
        bootstrapServers(),
        servers.postgres().jdbcUrl(database),
        servers.redis().uri(),
        mail.settings(),
        batchLog);
  }
}
