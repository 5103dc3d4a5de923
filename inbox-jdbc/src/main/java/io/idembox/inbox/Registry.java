package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interned names: consumers, namespaces, topics. Always read before insert: ON CONFLICT DO NOTHING
 * takes a number from the sequence even when nothing is inserted, and a smallint has few of them.
 */
final class Registry {
  private static final Logger log = LoggerFactory.getLogger(Registry.class);

  private static final String FIND_CONSUMER =
      """
      select c.id, c.group_id, n.name, c.resolver_fingerprint
      from idembox.consumer c join idembox.effect_namespace n on n.id = c.namespace_id
      where c.name = ?
      """;

  /** A consumer of the same group whose members have all been silent for a while was renamed. */
  private static final String FIND_PREDECESSOR =
      """
      select c.name, n.name
      from idembox.consumer c join idembox.effect_namespace n on n.id = c.namespace_id
      where c.group_id = ? and c.seen_at < now() - interval '1 minute'
        and not exists (select from idembox.consumer o
          where o.group_id = c.group_id and o.seen_at >= now() - interval '1 minute')
      order by c.seen_at desc limit 1
      """;

  private final DataSource dataSource;

  Registry(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  RegisteredConsumer register(ConsumerRegistration registration) {
    return Sql.inTransaction(dataSource, Phase.REGISTER, c -> register(c, registration));
  }

  int topicId(UUID kafkaTopicId, String name) {
    return Sql.inTransaction(dataSource, Phase.REGISTER, c -> topicId(c, kafkaTopicId, name));
  }

  void heartbeat(short consumer) {
    Sql.single(
        dataSource,
        Phase.REGISTER,
        connection -> {
          try (PreparedStatement update =
              connection.prepareStatement(
                  "update idembox.consumer set seen_at = now() where id = ?")) {
            update.setShort(1, consumer);
            return update.executeUpdate();
          }
        });
  }

  private static RegisteredConsumer register(Connection c, ConsumerRegistration registration)
      throws SQLException {
    UUID installation = installation(c);
    RegisteredConsumer known = find(c, registration, installation);
    if (known != null) {
      return known;
    }
    // Members start together: the first one inserts, the others wait here and then read its row.
    try (PreparedStatement lock =
        c.prepareStatement(
            "select pg_advisory_xact_lock(hashtextextended('idembox.consumer', 0))")) {
      lock.execute();
    }
    known = find(c, registration, installation);
    return known != null ? known : insert(c, registration, installation);
  }

  private static UUID installation(Connection c) throws SQLException {
    try (PreparedStatement select = c.prepareStatement("select id from idembox.installation");
        ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        throw new InboxSchemaMismatchException(
            "Table idembox.installation is empty: the database was not set up by IdemboxSchema.migrate()",
            null);
      }
      return row.getObject(1, UUID.class);
    }
  }

  private static @Nullable RegisteredConsumer find(
      Connection c, ConsumerRegistration wanted, UUID installation) throws SQLException {
    try (PreparedStatement select = c.prepareStatement(FIND_CONSUMER)) {
      select.setString(1, wanted.name());
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        short id = row.getShort(1);
        String namespace = row.getString(3);
        String fingerprint = row.getString(4);
        if (wanted.namespace() != null && !wanted.namespace().equals(namespace)) {
          throw new RegistrationException(
              "Consumer "
                  + wanted.name()
                  + " was registered with effect namespace "
                  + namespace
                  + ", not "
                  + wanted.namespace()
                  + ": a changed namespace would run its effects again; take the registered one, or another"
                  + " consumer name");
        }
        boolean sameRules = fingerprint.equals(wanted.resolverFingerprint());
        if (!sameRules && !wanted.resolverChangeAccepted()) {
          throw new RegistrationException(
              "Consumer "
                  + wanted.name()
                  + " finds message ids by other rules than before (now "
                  + wanted.resolverFingerprint()
                  + ", before "
                  + fingerprint
                  + "): messages may get new identities and be handled again; put the rules back, or accept"
                  + " the change");
        }
        touch(c, id, wanted);
        return new RegisteredConsumer(id, wanted.name(), wanted.groupId(), namespace, installation);
      }
    }
  }

  private static void touch(Connection c, short id, ConsumerRegistration wanted)
      throws SQLException {
    try (PreparedStatement update =
        c.prepareStatement(
            """
            update idembox.consumer
            set seen_at = now(), group_id = ?, resolver_fingerprint = ?
            where id = ?
            """)) {
      update.setString(1, wanted.groupId());
      update.setString(2, wanted.resolverFingerprint());
      update.setShort(3, id);
      update.executeUpdate();
    }
  }

  private static RegisteredConsumer insert(
      Connection c, ConsumerRegistration wanted, UUID installation) throws SQLException {
    String namespace = wanted.namespace();
    if (namespace == null) {
      namespace = predecessorsNamespace(c, wanted);
    }
    if (namespace == null) {
      namespace = wanted.name() + "@" + installation;
    }
    try (PreparedStatement insert =
        c.prepareStatement(
            """
            insert into idembox.consumer (name, group_id, namespace_id, resolver_fingerprint)
            values (?, ?, ?, ?) returning id
            """)) {
      insert.setString(1, wanted.name());
      insert.setString(2, wanted.groupId());
      insert.setShort(3, namespaceId(c, namespace));
      insert.setString(4, wanted.resolverFingerprint());
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return new RegisteredConsumer(
            row.getShort(1), wanted.name(), wanted.groupId(), namespace, installation);
      }
    }
  }

  private static @Nullable String predecessorsNamespace(Connection c, ConsumerRegistration wanted)
      throws SQLException {
    try (PreparedStatement select = c.prepareStatement(FIND_PREDECESSOR)) {
      select.setString(1, wanted.groupId());
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        log.warn(
            "Consumer {} is a new identity in group {}: its inbox is empty, every message counts as new. It"
                + " takes over the effect namespace {} of {}, so that no effect runs again",
            wanted.name(),
            wanted.groupId(),
            row.getString(2),
            row.getString(1));
        return row.getString(2);
      }
    }
  }

  /** The caller holds the registration lock. */
  private static short namespaceId(Connection c, String name) throws SQLException {
    try (PreparedStatement select =
        c.prepareStatement("select id from idembox.effect_namespace where name = ?")) {
      select.setString(1, name);
      try (ResultSet row = select.executeQuery()) {
        if (row.next()) {
          return row.getShort(1);
        }
      }
    }
    try (PreparedStatement insert =
        c.prepareStatement("insert into idembox.effect_namespace (name) values (?) returning id")) {
      insert.setString(1, name);
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getShort(1);
      }
    }
  }

  private static int topicId(Connection c, UUID kafkaTopicId, String name) throws SQLException {
    Integer known = findTopic(c, kafkaTopicId, name);
    if (known != null) {
      return known;
    }
    try (PreparedStatement insert =
        c.prepareStatement(
            """
            insert into idembox.topic (kafka_topic_id, name) values (?, ?)
            on conflict (kafka_topic_id, name) do nothing returning id
            """)) {
      insert.setObject(1, kafkaTopicId);
      insert.setString(2, name);
      try (ResultSet row = insert.executeQuery()) {
        if (row.next()) {
          return row.getInt(1);
        }
      }
    }
    // Another member inserted it at this moment; its row is committed, or we would still wait.
    Integer others = findTopic(c, kafkaTopicId, name);
    if (others == null) {
      throw new SQLException("Topic " + name + " was inserted and removed at once", "40001");
    }
    return others;
  }

  private static @Nullable Integer findTopic(Connection c, UUID kafkaTopicId, String name)
      throws SQLException {
    try (PreparedStatement select =
        c.prepareStatement("select id from idembox.topic where kafka_topic_id = ? and name = ?")) {
      select.setObject(1, kafkaTopicId);
      select.setString(2, name);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? row.getInt(1) : null;
      }
    }
  }
}
