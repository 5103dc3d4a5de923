package io.idembox.inbox;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectKeyHash;
import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The journal in PostgreSQL. Leases and due times are computed by the database's clock alone. */
final class JdbcEffectJournal implements EffectJournal {
  /** Rows that are pruned between two statements are few, and that more than once each, none. */
  private static final int MOST_ROUNDS = 10;

  private static final String NOT_IN_PREREQUISITE_STATE = "55000";

  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final EffectCatalog effects;
  private final UnsettledCommits unsettled;

  /** Fresh for each member: a mark of an earlier life is nobody's. */
  private final String owner = UUID.randomUUID().toString();

  /**
   * Effects that this process knows, and of these the ones that are marked right before they run.
   */
  private final String[] known;

  private final String[] markedLate;

  JdbcEffectJournal(
      InboxConfig config,
      RegisteredConsumer consumer,
      EffectCatalog effects,
      UnsettledCommits unsettled) {
    this.config = config;
    this.consumer = consumer;
    this.effects = effects;
    this.unsettled = unsettled;
    this.known = effects.names().toArray(new String[0]);
    this.markedLate = Arrays.stream(known).filter(this::isMarkedLate).toArray(String[]::new);
  }

  private boolean isMarkedLate(String name) {
    return effects.find(name).map(Effect::policy).filter(p -> !Intent.startedAtOnce(p)).isPresent();
  }

  /**
   * Writes intents in the handler's transaction; answers those that are this member's to perform.
   */
  List<JournalEntry> insert(
      Connection connection, Collection<Intent> intents, List<InboxClaim> claims)
      throws SQLException {
    Map<EffectKeyHash, Intent> open = new LinkedHashMap<>();
    intents.forEach(intent -> open.put(intent.hash(), intent));
    List<JournalEntry> owed = new ArrayList<>(open.size());
    for (int round = 0; !open.isEmpty(); round++) {
      if (round == MOST_ROUNDS) {
        throw new SQLException(
            "The journal neither takes nor holds effect "
                + open.values().iterator().next().key()
                + ": is effect namespace "
                + consumer.namespace()
                + " still in the database? Register the consumer again",
            NOT_IN_PREREQUISITE_STATE);
      }
      insertNew(connection, open, claims, owed);
      if (!open.isEmpty()) {
        // Left over are those that met a row. If it vanished in between (pruned), they are inserted
        // anew.
        meetExisting(connection, open, claims, owed);
      }
    }
    return owed;
  }

  private void insertNew(
      Connection connection,
      Map<EffectKeyHash, Intent> open,
      List<InboxClaim> claims,
      List<JournalEntry> owed)
      throws SQLException {
    List<Inserted> inserted = new ArrayList<>(open.size());
    long firstId = Long.MAX_VALUE;
    try (PreparedStatement insert = connection.prepareStatement(JournalSql.INSERT)) {
      IntentRows intents = new IntentRows(open.values(), claims, consumer.groupId());
      insert.setShort(1, consumer.id());
      insert.setString(2, owner);
      insert.setLong(3, config.journalLease().toMillis());
      insert.setBoolean(4, intents.anyQueue());
      insert.setString(5, consumer.namespace());
      intents.bind(insert, 6);
      try (ResultSet rows = insert.executeQuery()) {
        while (rows.next()) {
          Inserted one =
              new Inserted(removed(open, rows.getBytes(1)), rows.getLong(2), turn(rows, 3));
          inserted.add(one);
          firstId = Math.min(firstId, one.id());
        }
      }
    }
    Flight flight = new Flight(firstId, inserted.size());
    for (Inserted one : inserted) {
      owed.add(entry(one.intent(), one.id(), 1, false, one.turn(), flight, claims));
    }
  }

  private record Inserted(Intent intent, long id, @Nullable Turn turn) {}

  private void meetExisting(
      Connection connection,
      Map<EffectKeyHash, Intent> open,
      List<InboxClaim> claims,
      List<JournalEntry> owed)
      throws SQLException {
    try (PreparedStatement reopen = connection.prepareStatement(JournalSql.REOPEN)) {
      IntentColumns columns =
          new IntentColumns(open.values(), claims, config.journalLease(), consumer.groupId());
      reopen.setBoolean(1, columns.anyQueue());
      reopen.setString(2, consumer.namespace());
      int next = columns.bind(reopen, 3);
      reopen.setShort(next, consumer.id());
      reopen.setString(next + 1, owner);
      try (ResultSet rows = reopen.executeQuery()) {
        while (rows.next()) {
          Intent intent = removed(open, rows.getBytes(1));
          if (rows.getBoolean(5)) {
            boolean started = intent.startedAtOnce(claims.get(intent.message()));
            int attempt = rows.getInt(3) + (started ? 0 : 1);
            owed.add(
                entry(
                    intent,
                    rows.getLong(2),
                    attempt,
                    rows.getBoolean(4),
                    turn(rows, 7),
                    null,
                    claims));
          } else if (intent.fingerprint() != null
              && rows.getBytes(6) != null
              && !Arrays.equals(intent.fingerprint(), rows.getBytes(6))) {
            IntentBuffer.conflict(intent);
          }
        }
      }
    }
  }

  private static Intent removed(Map<EffectKeyHash, Intent> open, byte[] hash) {
    Intent intent = open.remove(EffectKeyHash.ofBytes(hash));
    if (intent == null) {
      throw new IllegalStateException("The journal answered for an effect that was not asked for");
    }
    return intent;
  }

  private JournalEntry entry(
      Intent intent,
      long id,
      int attempt,
      boolean unknownBefore,
      @Nullable Turn turn,
      @Nullable Flight flight,
      List<InboxClaim> claims) {
    InboxClaim claim = claims.get(intent.message());
    return new JournalEntry(
        id,
        intent.effect(),
        intent.key(),
        intent.request(),
        attempt,
        unknownBefore,
        owner,
        intent.startedAtOnce(claim),
        new Origin(claim.messageId(), claim.topicId(), claim.partition(), claim.offset()),
        turn,
        flight);
  }

  /** Queue and place, from a column on. */
  private static @Nullable Turn turn(ResultSet row, int column) throws SQLException {
    long queue = row.getLong(column);
    return row.wasNull() ? null : new Turn(queue, row.getLong(column + 1));
  }

  @Override
  public List<JournalEntry> takeUnfinishedOf(Collection<UUID> messageIds, Duration lease) {
    if (messageIds.isEmpty() || known.length == 0) {
      return List.of();
    }
    Set<UUID> neverBegun = unsettled.takeCommitted(messageIds);
    List<JournalEntry> taken =
        new ArrayList<>(neverBegun.isEmpty() ? List.of() : takeOwn(neverBegun, lease));
    endFlights();
    taken.addAll(
        Sql.single(
            config.dataSource(),
            Phase.JOURNAL,
            connection -> {
              try (PreparedStatement take =
                  connection.prepareStatement(JournalSql.TAKE_UNFINISHED)) {
                take.setShort(1, consumer.id());
                take.setObject(2, SqlArrays.uuids(messageIds), Types.OTHER);
                take.setArray(3, SqlArrays.texts(connection, known));
                return take(connection, take, 4, lease);
              }
            }));
    return taken;
  }

  private List<JournalEntry> takeOwn(Set<UUID> messageIds, Duration lease) {
    return Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement take = connection.prepareStatement(JournalSql.TAKE_OWN)) {
            take.setString(1, owner);
            take.setShort(2, consumer.id());
            take.setShort(3, consumer.id());
            take.setObject(4, SqlArrays.uuids(messageIds), Types.OTHER);
            take.setString(5, owner);
            take.setLong(6, lease.toMillis());
            take.setLong(7, lease.toMillis());
            return entries(take);
          }
        });
  }

  @Override
  public List<JournalEntry> takeDue(int limit, Duration lease) {
    if (limit < 1) {
      throw new IllegalArgumentException("A limit of " + limit + " takes nothing");
    }
    if (known.length == 0) {
      return List.of();
    }
    endFlights();
    return Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement take = connection.prepareStatement(JournalSql.TAKE_DUE)) {
            take.setString(1, consumer.namespace());
            take.setArray(2, SqlArrays.texts(connection, known));
            take.setInt(3, limit);
            return take(connection, take, 4, lease);
          }
        });
  }

  private void endFlights() {
    JournalDecisions.endFlights(config, consumer);
  }

  private List<JournalEntry> take(
      Connection connection, PreparedStatement take, int parameter, Duration lease)
      throws SQLException {
    take.setString(parameter, owner);
    take.setArray(parameter + 1, SqlArrays.texts(connection, markedLate));
    take.setArray(parameter + 2, SqlArrays.texts(connection, markedLate));
    take.setLong(parameter + 3, lease.toMillis());
    return entries(take);
  }

  private List<JournalEntry> entries(PreparedStatement take) throws SQLException {
    try (ResultSet rows = take.executeQuery()) {
      List<JournalEntry> taken = new ArrayList<>();
      while (rows.next()) {
        boolean started = EffectState.of(rows.getShort(7)) == EffectState.STARTED;
        taken.add(
            new JournalEntry(
                rows.getLong(1),
                rows.getString(2),
                EffectKey.fromCanonical(rows.getBytes(3)),
                rows.getBytes(4),
                rows.getInt(5) + (started ? 0 : 1),
                rows.getBoolean(6),
                owner,
                started,
                new Origin(
                    rows.getObject(8, UUID.class),
                    rows.getInt(9),
                    rows.getInt(10),
                    rows.getLong(11)),
                turn(rows, 12),
                null));
      }
      return taken;
    }
  }

  @Override
  public List<JournalEntry> markStarted(Collection<JournalEntry> entries, Duration lease) {
    if (entries.isEmpty()) {
      return List.of();
    }
    Set<Long> marked =
        Sql.single(
            config.dataSource(),
            Phase.JOURNAL,
            connection -> {
              try (PreparedStatement mark = connection.prepareStatement(JournalSql.MARK_STARTED)) {
                bindMarks(mark, entries);
                mark.setLong(5, lease.toMillis());
                Set<Long> ids = new HashSet<>();
                try (ResultSet rows = mark.executeQuery()) {
                  while (rows.next()) {
                    ids.add(rows.getLong(1));
                  }
                }
                return ids;
              }
            });
    return entries.stream()
        .filter(entry -> marked.contains(entry.id()))
        .map(JournalEntry::asStarted)
        .toList();
  }

  @Override
  public int settle(List<Settlement> settlements) {
    if (settlements.isEmpty()) {
      return 0;
    }
    int n = settlements.size();
    long[] ids = new long[n];
    int[] attempts = new int[n];
    short[] states = new short[n];
    short[] unused = new short[n];
    long[] delays = new long[n];
    byte[][] receipts = new byte[n][];
    String[] texts = new String[n];
    for (int i = 0; i < n; i++) {
      Settlement settlement = settlements.get(i);
      ids[i] = settlement.entry().id();
      attempts[i] = settlement.entry().attempt();
      states[i] = stateAfter(settlement.result()).code();
      unused[i] = (short) (settlement.result() == Settlement.Result.POSTPONED ? 1 : 0);
      delays[i] = settlement.delay().toMillis();
      receipts[i] = settlement.receipt();
      texts[i] = Texts.storable(settlement.text());
    }
    Map<Flight, Integer> flights = flights(settlements);
    Long[] ending =
        flights.entrySet().stream()
            .filter(flight -> flight.getKey().endsWith(flight.getValue()))
            .map(flight -> flight.getKey().firstId())
            .toArray(Long[]::new);
    int settled = 0;
    try {
      settled =
          Sql.single(
              config.dataSource(),
              Phase.JOURNAL,
              connection -> {
                try (PreparedStatement settle = connection.prepareStatement(JournalSql.SETTLE)) {
                  settle.setObject(1, ids);
                  settle.setObject(2, attempts);
                  settle.setObject(3, states);
                  settle.setObject(4, unused);
                  settle.setObject(5, delays);
                  settle.setArray(6, SqlArrays.bytes(connection, receipts));
                  settle.setArray(7, SqlArrays.texts(connection, texts));
                  settle.setObject(8, ids);
                  settle.setString(9, owner);
                  settle.setArray(10, connection.createArrayOf("int8", ending));
                  settle.setInt(11, n);
                  try (ResultSet row = settle.executeQuery()) {
                    row.next();
                    return row.getInt(1);
                  }
                }
              });
      return settled;
    } finally {
      if (settled == n) {
        flights.forEach(Flight::settled);
      } else {
        // Their rows stay, and are looked at when their leases have ended.
        flights.keySet().forEach(Flight::left);
      }
    }
  }

  /** How many of these settlements each flight has: as a rule there is one. */
  private static Map<Flight, Integer> flights(List<Settlement> settlements) {
    Map<Flight, Integer> flights = new HashMap<>(2);
    Flight current = null;
    int count = 0;
    for (Settlement settlement : settlements) {
      Flight flight = settlement.entry().flight();
      if (flight != current) {
        count(flights, current, count);
        current = flight;
        count = 0;
      }
      count++;
    }
    count(flights, current, count);
    return flights;
  }

  private static void count(Map<Flight, Integer> flights, @Nullable Flight flight, int settled) {
    if (flight != null) {
      flights.merge(flight, settled, Integer::sum);
    }
  }

  private static EffectState stateAfter(Settlement.Result result) {
    return switch (result) {
      case DONE -> EffectState.DONE;
      case REJECTED -> EffectState.REJECTED;
      case RETRY_AT, POSTPONED -> EffectState.PENDING;
      case IN_DOUBT -> EffectState.IN_DOUBT;
      case HELD -> EffectState.HELD;
      case FAILED -> EffectState.FAILED;
    };
  }

  @Override
  public int renew(Collection<JournalEntry> running, Duration lease) {
    if (running.isEmpty()) {
      return 0;
    }
    return Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement renew = connection.prepareStatement(JournalSql.RENEW)) {
            bindMarks(renew, running);
            renew.setLong(5, lease.toMillis());
            renew.setArray(6, connection.createArrayOf("int8", flightsOf(running)));
            return renew.executeUpdate();
          }
        });
  }

  private static Long[] flightsOf(Collection<JournalEntry> entries) {
    Set<Long> firstIds = new HashSet<>();
    for (JournalEntry entry : entries) {
      Flight flight = entry.flight();
      if (flight != null) {
        firstIds.add(flight.firstId());
      }
    }
    return firstIds.toArray(new Long[0]);
  }

  @Override
  public void giveBack(Collection<JournalEntry> unstarted) {
    if (unstarted.isEmpty()) {
      return;
    }
    Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement giveBack = connection.prepareStatement(JournalSql.GIVE_BACK)) {
            bindMarks(giveBack, unstarted);
            return giveBack.executeUpdate();
          }
        });
  }

  @Override
  public long unfinished() {
    return Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement count = connection.prepareStatement(JournalSql.UNFINISHED)) {
            count.setString(1, consumer.namespace());
            try (ResultSet row = count.executeQuery()) {
              row.next();
              return row.getLong(1);
            }
          }
        });
  }

  private void bindMarks(PreparedStatement statement, Collection<JournalEntry> entries)
      throws SQLException {
    long[] ids = new long[entries.size()];
    int[] attempts = new int[entries.size()];
    int i = 0;
    for (JournalEntry entry : entries) {
      ids[i] = entry.id();
      attempts[i++] = entry.attempt();
    }
    statement.setObject(1, ids);
    statement.setObject(2, attempts);
    statement.setObject(3, ids);
    statement.setString(4, owner);
  }
}
