package io.idembox.effect;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a receipt's class the short name and version that {@link JsonEffectCodec} stores beside the
 * value.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ReceiptType {
  /**
   * Stands in errors about receipts that cannot be read; by default the class's name without its
   * package.
   */
  String value();

  /** Stands there too. Counts from 1. */
  int version() default 1;
}
