package io.idembox.inbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers of a record, as raw bytes. */
@FunctionalInterface
public interface MessageHeaders {
  /**
   * The values of every header of exactly this name (case matters), in the record's order; empty
   * when there is none. A header may be there with a null value.
   */
  List<byte @Nullable []> values(String name);
}
