package io.idembox.migrations;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;

/**
 * The pending migrations as a script that a person runs, with the rows of Flyway's history that
 * they would have left, so that Flyway finds them applied.
 */
final class HandScript {
  static final String HISTORY = "schema_history";

  private static final String FOLDER = "/io/idembox/migrations/sql/";

  /** As Flyway makes it. */
  private static final String CREATE_HISTORY =
      """
      create schema if not exists %1$s;
      create table %1$s.%2$s (
        installed_rank integer not null constraint %2$s_pk primary key,
        version        varchar(50),
        description    varchar(200) not null,
        type           varchar(20) not null,
        script         varchar(1000) not null,
        checksum       integer,
        installed_by   varchar(100) not null,
        installed_on   timestamp not null default now(),
        execution_time integer not null,
        success        boolean not null
      );
      create index %2$s_s_idx on %1$s.%2$s (success);
      """
          .formatted(IdemboxSchema.NAME, HISTORY);

  private HandScript() {}

  static String of(MigrationInfoService migrations, boolean historyExists) {
    MigrationInfo[] pending = migrations.pending();
    if (pending.length == 0) {
      return "";
    }
    StringBuilder script = new StringBuilder("begin;\n");
    if (!historyExists) {
      script.append(CREATE_HISTORY);
    }
    for (MigrationInfo migration : pending) {
      script.append(text(migration.getScript())).append('\n').append(historyRow(migration));
    }
    return script.append("commit;\n").toString();
  }

  private static String text(String script) {
    String path = FOLDER + script.substring(script.lastIndexOf('/') + 1);
    try (InputStream in = HandScript.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("No migration at " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String historyRow(MigrationInfo migration) {
    return """
        insert into %s.%s
          (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
        select coalesce(max(installed_rank), 0) + 1, '%s', '%s', 'SQL', '%s', %d, current_user, 0, true
        from %1$s.%2$s;
        """
        .formatted(
            IdemboxSchema.NAME,
            HISTORY,
            migration.getVersion(),
            migration.getDescription(),
            migration.getScript(),
            migration.getChecksum());
  }
}
