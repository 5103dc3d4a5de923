package io.idembox.service;

import io.idembox.migrations.IdemboxSchema;
import io.idembox.migrations.SchemaMigrationException;
import java.util.Map;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Brings the schema up to date, or says what that takes. */
@Command(
    name = "migrate",
    description = {
      "Creates the schema, or brings it up to date. Any number of instances may do so at once.",
      "Does nothing, and needs no right to create, when it is up to date."
    })
final class MigrateCommand extends StoresCommand {
  @ArgGroup(exclusive = true)
  private Only only = new Only();

  private static final class Only {
    @Option(
        names = "--print-sql",
        description = "Print what is missing as SQL for psql, and change nothing.")
    private boolean printSql;

    @Option(names = "--validate", description = "Only check that the schema is up to date.")
    private boolean validate;
  }

  MigrateCommand(Console console) {
    super(console);
  }

  @Override
  int run(Stores stores) {
    IdemboxSchema schema = IdemboxSchema.of(stores.dataSource());
    if (only.printSql) {
      String sql = schema.pendingSql();
      print(
          Map.of("sql", sql),
          sql.isEmpty() ? "-- nothing is missing: the schema is up to date" : sql);
      return ExitCode.DONE;
    }
    if (only.validate) {
      schema.validate();
      print(Map.of("valid", true), "the schema is up to date");
      return ExitCode.DONE;
    }
    try {
      schema.migrate();
    } catch (SchemaMigrationException e) {
      // For somebody who has the right.
      e.sqlToRun().ifPresent(sql -> print(Map.of("migrated", false, "sql", sql), sql));
      throw e;
    }
    print(Map.of("migrated", true), "the schema is up to date");
    return ExitCode.DONE;
  }
}
