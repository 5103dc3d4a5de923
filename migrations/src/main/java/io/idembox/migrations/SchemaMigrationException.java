package io.idembox.migrations;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The schema could not be brought up to date: the database is unreachable, or the role lacks a
 * right. In the latter case {@link #sqlToRun()} holds what somebody with the right runs by hand.
 */
public final class SchemaMigrationException extends SchemaException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String sqlToRun;

  SchemaMigrationException(String message, @Nullable String sqlToRun, @Nullable Throwable cause) {
    super(message, cause);
    this.sqlToRun = sqlToRun;
  }

  /**
   * The statements that a role with the missing right runs once, ready for {@code psql}; empty when
   * something other than a right was missing.
   */
  public Optional<String> sqlToRun() {
    return Optional.ofNullable(sqlToRun);
  }
}
