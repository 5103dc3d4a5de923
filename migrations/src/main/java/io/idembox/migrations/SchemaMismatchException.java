package io.idembox.migrations;

/**
 * The database does not hold the schema that this version of Idembox works on. Trying again does
 * not help; the message says what is missing and what to run.
 */
public final class SchemaMismatchException extends SchemaException {
  private static final long serialVersionUID = 1L;

  SchemaMismatchException(String message) {
    super(message, null);
  }
}
