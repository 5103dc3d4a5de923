package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
      select c.id, c.group_id, n.name, c.resolver_fingerprint, c.rebuild_of
      from idembox.consumer c join idembox.effect_namespace n on n.id = c.namespace_id
      where c.name = ?
      """;

  /** Whose rows a consumer builds anew, and whose those did. */
  private static final String REBUILDS =
      """
      with recursive line(id, depth) as (
        select rebuild_of, 1 from idembox.consumer where id = ? and rebuild_of is not null
        union all
        select c.rebuild_of, l.depth + 1 from line l join idembox.consumer c on c.id = l.id
        where c.rebuild_of is not null
      )
      select id from line order by depth
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

  RegisteredConsumer registerRebuild(ConsumerRegistration registration, String of) {
    return Sql.inTransaction(dataSource, Phase.REGISTER, c -> registerRebuild(c, registration, of));
  }

  RegisteredConsumer previewRebuild(ConsumerRegistration registration, String of) {
    return Sql.inTransaction(
        dataSource,
        Phase.REGISTER,
        c -> {
          UUID installation = installation(c);
          Known old = rebuildable(c, registration, of);
          Known there = look(c, registration.name()).orElse(null);
          if (there != null) {
            return there.consumer(c, registration.name(), installation);
          }
          List<Short> rebuilds = new ArrayList<>(List.of(old.id()));
          rebuilds.addAll(old.consumer(c, of, installation).rebuilds());
          return new RegisteredConsumer(
              (short) 0,
              registration.name(),
              registration.groupId(),
              old.namespace(),
              installation,
              rebuilds);
        });
  }

  Optional<RegisteredConsumer> find(String name) {
    return Sql.inTransaction(
        dataSource,
        Phase.REGISTER,
        c -> {
          UUID installation = installation(c);
          Known known = look(c, name).orElse(null);
          return known == null
              ? Optional.empty()
              : Optional.of(known.consumer(c, name, installation));
        });
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
    lock(c);
    known = find(c, registration, installation);
    return known != null ? known : insert(c, registration, installation, null);
  }

  /** Members start together: the first one inserts, the others wait here and then read its row. */
  private static void lock(Connection c) throws SQLException {
    try (PreparedStatement lock =
        c.prepareStatement(
            "select pg_advisory_xact_lock(hashtextextended('idembox.consumer', 0))")) {
      lock.execute();
    }
  }

  private static RegisteredConsumer registerRebuild(
      Connection c, ConsumerRegistration wanted, String of) throws SQLException {
    UUID installation = installation(c);
    lock(c);
    Known old = rebuildable(c, wanted, of);
    if (look(c, wanted.name()).isEmpty()) {
      log.info(
          "Consumer {} builds the rows of {} anew, in its effect namespace {}",
          wanted.name(),
          of,
          old.namespace());
      ConsumerRegistration within =
          new ConsumerRegistration(
              wanted.name(), wanted.groupId(), old.namespace(), wanted.resolverFingerprint());
      insert(c, within, installation, old.id());
    }
    RegisteredConsumer found = find(c, wanted, installation);
    if (found == null) {
      throw new SQLException("Consumer " + wanted.name() + " was made and is not there", "40001");
    }
    return found;
  }

  /** The consumer that is to be rebuilt, if that can be done under the name that is wanted. */
  private static Known rebuildable(Connection c, ConsumerRegistration wanted, String of)
      throws SQLException {
    Known old =
        look(c, of)
            .orElseThrow(
                () ->
                    new RegistrationException(
                        "There is no consumer "
                            + of
                            + " in this database whose rows could be built anew"));
    if (!old.fingerprint().equals(wanted.resolverFingerprint())) {
      throw new RegistrationException(
          "Consumer "
              + of
              + " found message ids by other rules ("
              + old.fingerprint()
              + ") than its rebuild would (now "
              + wanted.resolverFingerprint()
              + "): what it has done would not be recognised, and its effects would run again; use"
              + " the same rules");
    }
    if (wanted.namespace() != null && !wanted.namespace().equals(old.namespace())) {
      throw new RegistrationException(
          "A rebuild works in the effect namespace of "
              + of
              + ", "
              + old.namespace()
              + ", not in "
              + wanted.namespace()
              + ": leave it out");
    }
    Known there = look(c, wanted.name()).orElse(null);
    if (there != null && (wanted.name().equals(of) || there.rebuildOf() != old.id())) {
      throw new RegistrationException(
          "Consumer "
              + wanted.name()
              + " is there already, and is no rebuild of "
              + of
              + ": its rows would count as handled. Take a name that no consumer has");
    }
    return old;
  }

  /**
   * A consumer's row.
   *
   * @param rebuildOf 0 for none
   */
  private record Known(
      short id, String group, String namespace, String fingerprint, short rebuildOf) {
    RegisteredConsumer consumer(Connection c, String name, UUID installation) throws SQLException {
      List<Short> rebuilds = new ArrayList<>(0);
      if (rebuildOf != 0) {
        try (PreparedStatement select = c.prepareStatement(REBUILDS)) {
          select.setShort(1, id);
          try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
              rebuilds.add(rows.getShort(1));
            }
          }
        }
      }
      return new RegisteredConsumer(id, name, group, namespace, installation, rebuilds);
    }
  }

  private static Optional<Known> look(Connection c, String name) throws SQLException {
    try (PreparedStatement select = c.prepareStatement(FIND_CONSUMER)) {
      select.setString(1, name);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? Optional.of(
                new Known(
                    row.getShort(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getShort(5)))
            : Optional.empty();
      }
    }
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
    Known row = look(c, wanted.name()).orElse(null);
    if (row == null) {
      return null;
    }
    if (wanted.namespace() != null && !wanted.namespace().equals(row.namespace())) {
      throw new RegistrationException(
          "Consumer "
              + wanted.name()
              + " was registered with effect namespace "
              + row.namespace()
              + ", not "
              + wanted.namespace()
              + ": a changed namespace would run its effects again; take the registered one, or another"
              + " consumer name");
    }
    boolean sameRules = row.fingerprint().equals(wanted.resolverFingerprint());
    if (!sameRules && !wanted.resolverChangeAccepted()) {
      throw new RegistrationException(
          "Consumer "
              + wanted.name()
              + " finds message ids by other rules than before (now "
              + wanted.resolverFingerprint()
              + ", before "
              + row.fingerprint()
              + "): messages may get new identities and be handled again; put the rules back, or accept"
              + " the change");
    }
    touch(c, row.id(), wanted);
    RegisteredConsumer found = row.consumer(c, wanted.name(), installation);
    return new RegisteredConsumer(
        found.id(),
        found.name(),
        wanted.groupId(),
        found.namespace(),
        installation,
        found.rebuilds());
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
      Connection c, ConsumerRegistration wanted, UUID installation, @Nullable Short rebuildOf)
      throws SQLException {
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
            insert into idembox.consumer (name, group_id, namespace_id, resolver_fingerprint, rebuild_of)
            values (?, ?, ?, ?, ?) returning id
            """)) {
      insert.setString(1, wanted.name());
      insert.setString(2, wanted.groupId());
      insert.setShort(3, namespaceId(c, namespace));
      insert.setString(4, wanted.resolverFingerprint());
      insert.setObject(5, rebuildOf, Types.SMALLINT);
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
