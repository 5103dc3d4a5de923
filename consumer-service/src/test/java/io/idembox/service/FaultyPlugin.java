package io.idembox.service;

import java.util.Map;

/** A handler and an effect that fail for the orders that a table names, until it does no more. */
final class FaultyPlugin {
  /** What its tables need. */
  static final String TABLES =
      """
      create table ledger (id text, currency text);
      create table sent (id text);
      create table refused (id text primary key);
      create table unsure (id text primary key)
      """;

  static final Map<String, String> SOURCES =
      Map.of(
          "plugged/Order.java",
          "package plugged; public record Order(String id) {}",
          "plugged/Booking.java",
          """
          package plugged;
          import io.idembox.effect.EffectKey;
          import io.idembox.inbox.InboxTransaction;
          import io.idembox.runtime.InboxHandler;
          import io.idembox.runtime.InboxMessage;
          public final class Booking implements InboxHandler<Order> {
            public record Config(String currency) {}
            private final Config config;
            public Booking(Config config) { this.config = config; }
            @Override public void handle(InboxMessage<Order> message, InboxTransaction tx) {
              String id = message.value().id();
              if (tx.handle().select("select id from refused where id = ?", id).mapTo(String.class).findOne().isPresent()) {
                throw new IllegalStateException("order " + id + " is refused");
              }
              tx.handle().execute("insert into ledger values (?, ?)", id, config.currency());
              tx.effects().afterCommit(Note.NAME, EffectKey.of("note").id(id), id);
            }
          }
          """,
          "plugged/Note.java",
          """
          package plugged;
          import io.idembox.effect.*;
          import java.sql.Connection;
          import javax.sql.DataSource;
          public final class Note implements Effect<String, String> {
            public static final EffectName<String, String> NAME = EffectName.of("note", String.class, String.class);
            private final DataSource own;
            public Note(DataSource own) { this.own = own; }
            @Override public EffectName<String, String> name() { return NAME; }
            @Override public EffectPolicy policy() { return EffectPolicy.builder().onUnknown(OnUnknown.HOLD).build(); }
            @Override public String perform(String id, EffectAttempt attempt) throws Exception {
              try (Connection c = own.getConnection();
                  var insert = c.prepareStatement("insert into sent select ? where not exists (select from unsure where id = ?)")) {
                insert.setString(1, id);
                insert.setString(2, id);
                if (insert.executeUpdate() == 0) { throw new IllegalStateException("no answer about " + id); }
              }
              return id;
            }
          }
          """);

  private FaultyPlugin() {}
}
