package io.idembox.service;

import io.idembox.inbox.InboxException;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.migrations.SchemaException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** The database: reachable, its schema, its clock, its connections. */
final class DatabaseDoctor {
  private static final Duration MOST_SKEW = Duration.ofSeconds(5);

  private final Stores stores;
  private final List<Finding> findings = new ArrayList<>();

  DatabaseDoctor(Stores stores) {
    this.stores = stores;
  }

  /** What the server says of itself. */
  private record Server(
      Instant now, int maxConnections, int used, String synchronousCommit, String isolation) {}

  List<Finding> findings() {
    try {
      stores.database().check();
    } catch (InboxException e) {
      findings.add(
          Finding.error(
              "postgres.usable",
              String.valueOf(e.getMessage()),
              "check postgres.url, user and password; if the schema is missing, run idembox"
                  + " migrate"));
      return findings;
    }
    findings.add(Finding.ok("postgres.usable", stores.database().address() + " is writable"));
    rights();
    schema();
    server();
    consumer();
    resolver();
    return findings;
  }

  private void rights() {
    try {
      stores.database().checkRights();
      findings.add(Finding.ok("postgres.rights", "the role may do all that a consumer does"));
    } catch (InboxException e) {
      findings.add(
          Finding.error(
              "postgres.rights",
              String.valueOf(e.getMessage()),
              "let the schema's owner grant them to the role of postgres.user"));
    }
  }

  private void schema() {
    try {
      IdemboxSchema.of(stores.dataSource()).validate();
      findings.add(Finding.ok("postgres.schema", "the schema is the one of this version"));
    } catch (SchemaException e) {
      findings.add(
          Finding.error(
              "postgres.schema",
              String.valueOf(e.getMessage()),
              "run idembox migrate, or let somebody run what idembox migrate --print-sql prints"));
    }
  }

  private void server() {
    Server server =
        stores.query(
            """
            select clock_timestamp(), current_setting('max_connections')::int,
              (select count(*)::int from pg_stat_activity where backend_type = 'client backend'),
              current_setting('synchronous_commit'), current_setting('default_transaction_isolation')
            """,
            select -> {},
            row -> {
              row.next();
              return new Server(
                  row.getObject(1, OffsetDateTime.class).toInstant(),
                  row.getInt(2),
                  row.getInt(3),
                  row.getString(4),
                  row.getString(5));
            });
    Duration skew = Duration.between(server.now(), Instant.now()).abs();
    findings.add(
        skew.compareTo(MOST_SKEW) > 0
            ? Finding.warning(
                "clock.postgres",
                "the clock of the database is " + skew.toSeconds() + " s off this machine's",
                "run a time service on both; retention and due times are the database's")
            : Finding.ok("clock.postgres", "clocks agree within " + MOST_SKEW.toSeconds() + " s"));
    int pool = PostgresPool.size(stores.settings());
    int left = server.maxConnections() - server.used();
    findings.add(
        pool > left
            ? Finding.warning(
                "postgres.connections",
                "the pool takes "
                    + pool
                    + " connections of each member; the server has "
                    + left
                    + " of "
                    + server.maxConnections()
                    + " left",
                "lower consumer.concurrency or postgres.pool-size, or raise max_connections")
            : Finding.ok(
                "postgres.connections",
                "a pool of "
                    + pool
                    + " for "
                    + stores.settings().get(Options.CONCURRENCY)
                    + " batches at once; "
                    + left
                    + " connections are left"));
    if (!server.isolation().equals("read committed")) {
      findings.add(
          Finding.warning(
              "postgres.isolation",
              "default_transaction_isolation is "
                  + server.isolation()
                  + " here: members that meet abort each other, instead of waiting",
              "alter role ... set default_transaction_isolation = 'read committed'"));
    }
    if (server.synchronousCommit().equals("off")) {
      findings.add(
          Finding.info(
              "postgres.synchronous_commit",
              "synchronous_commit is off by default here; the inbox turns it on for its"
                  + " transactions",
              "nothing, unless your own writes rely on it"));
    }
  }

  private void consumer() {
    String name = stores.settings().get(Options.NAME);
    String group = ConsumerAssembly.groupId(stores.settings());
    List<String> others =
        stores.query(
            """
            select c.name || ' (effect namespace ' || n.name || ')'
            from idembox.consumer c join idembox.effect_namespace n on n.id = c.namespace_id
            where c.group_id = ? and c.name <> ? and not exists
              (select from idembox.consumer where name = ?)
            """,
            select -> {
              select.setString(1, group);
              select.setString(2, name);
              select.setString(3, name);
            },
            rows -> {
              List<String> found = new ArrayList<>();
              while (rows.next()) {
                found.add(rows.getString(1));
              }
              return found;
            });
    findings.add(
        others.isEmpty()
            ? Finding.ok("consumer.name", "consumer " + name + " in group " + group)
            : Finding.warning(
                "consumer.name",
                "consumer "
                    + name
                    + " is new, and group "
                    + group
                    + " belonged to "
                    + String.join(", ", others)
                    + ": its inbox is empty, every message counts as new",
                "if it is the same consumer, keep its name; else effects are taken over from it"
                    + " once it is silent for a minute"));
  }

  /** A start refuses other rules for message ids than those under which rows were written. */
  private void resolver() {
    String ours = ConsumerAssembly.messageIds(stores.settings()).fingerprint();
    String known =
        stores.query(
            "select resolver_fingerprint from idembox.consumer where name = ?",
            select -> select.setString(1, stores.settings().get(Options.NAME)),
            row -> row.next() ? row.getString(1) : ours);
    findings.add(
        ours.equals(known)
            ? Finding.ok("consumer.message-ids", "message ids are found as before")
            : Finding.error(
                "consumer.message-ids",
                "message ids are found by other rules than before: "
                    + ours
                    + ", and before: "
                    + known,
                "put message-id.* back; or run --accept-resolver-change: messages may get other"
                    + " identities and be handled again"));
  }
}
