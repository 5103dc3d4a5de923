package io.idembox.inbox;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Whether a consumer's role may do what a consumer does. Without this, a right that is missing is
 * met when it is needed first: that to delete when the first row is past its retention.
 */
final class DatabaseRights {
  // Only what our statements need: somebody may have taken away the right to delete from the audit.
  // Locking a row takes the right to update it. A table that is not there is the schema's matter.
  private static final String MISSING =
      """
      select current_user, string_agg(missing, ', ')
      from (
        select 'usage on schema idembox' missing
        where not has_schema_privilege(to_regnamespace('idembox')::oid, 'usage')
        union all
        select lower(needed.privilege) || ' on idembox.' || c.relname
        from (values
          ('attempt', 'select insert update delete'), ('audit', 'select insert update'),
          ('consumer', 'select insert update'), ('dead_letter', 'select insert update delete'),
          ('effect', 'select insert update delete'), ('effect_flight', 'select insert update delete'),
          ('effect_namespace', 'select insert update'), ('inbox', 'select insert delete'),
          ('installation', 'select update'), ('progress', 'select insert update'),
          ('pruning', 'select insert update'), ('topic', 'select insert')
        ) known(name, privileges)
        cross join string_to_table(known.privileges, ' ') needed(privilege)
        join pg_class c on c.relname = known.name and c.relnamespace = to_regnamespace('idembox')::oid
        where not has_table_privilege(c.oid, needed.privilege)
        union all
        select 'usage on sequence idembox.' || c.relname
        from pg_class c
        where c.relname = 'effect_place' and c.relnamespace = to_regnamespace('idembox')::oid
          and not has_sequence_privilege(c.oid, 'usage')
      ) rights
      """;

  private DatabaseRights() {}

  static void check(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(MISSING)) {
      row.next();
      String missing = row.getString(2);
      if (missing != null) {
        throw new InboxUnavailableException(
            "Role "
                + row.getString(1)
                + " lacks rights on the database at "
                + Address.of(connection)
                + ": "
                + missing
                + "; grant them, also after a migration that adds tables",
            null);
      }
    } catch (SQLException e) {
      throw new InboxUnavailableException(
          "PostgreSQL " + Address.of(dataSource) + "cannot be used: " + SqlErrors.describe(e), e);
    }
  }
}
