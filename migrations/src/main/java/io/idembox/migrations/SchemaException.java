package io.idembox.migrations;

import org.jspecify.annotations.Nullable;

/** The root of what {@link IdemboxSchema} throws. */
public abstract class SchemaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SchemaException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
