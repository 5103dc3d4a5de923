package io.idembox.runtime;

import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;
import io.idembox.effect.Resolution;
import io.idembox.effect.ResolvableEffect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The world outside, as tests see it: a table that counts calls, written on connections of its own,
 * so that what was sent stays sent whatever becomes of the consumer or its transactions.
 */
final class Sink implements ResolvableEffect<Sink.Mail, String> {
  static final EffectName<Mail, String> MAIL =
      EffectName.of("invoice-mail", Mail.class, String.class);

  private final DataSource database;
  private final EffectPolicy policy;

  record Mail(String orderId) {}

  Sink(DataSource database) {
    this(database, OnUnknown.RESOLVE);
  }

  Sink(DataSource database, OnUnknown onUnknown) {
    this.database = database;
    this.policy = EffectPolicy.builder().lease(Duration.ofSeconds(6)).onUnknown(onUnknown).build();
  }

  static void createTables(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection
          .createStatement()
          .execute(
              """
              create table ledger(
                position bigserial, order_id text not null, message_id uuid not null);
              create table sent(provider_key text not null, order_id text not null);
              """);
    }
  }

  @Override
  public EffectName<Mail, String> name() {
    return MAIL;
  }

  @Override
  public EffectPolicy policy() {
    return policy;
  }

  @Override
  public String perform(Mail mail, EffectAttempt attempt) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into sent(provider_key, order_id) values (?, ?)")) {
      insert.setString(1, attempt.providerKey());
      insert.setString(2, mail.orderId());
      insert.executeUpdate();
      return "sent " + mail.orderId();
    }
  }

  @Override
  public Resolution<String> resolve(Mail mail, EffectAttempt attempt) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement query =
            connection.prepareStatement("select 1 from sent where provider_key = ?")) {
      query.setString(1, attempt.providerKey());
      try (ResultSet rows = query.executeQuery()) {
        return rows.next()
            ? Resolution.happened("sent " + mail.orderId())
            : Resolution.didNotHappen();
      }
    }
  }
}
