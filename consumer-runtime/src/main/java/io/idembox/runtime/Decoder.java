package io.idembox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Makes a value out of a record's bytes.
 *
 * <p>Called on worker threads, by several at once, and only for messages that are new: a duplicate
 * is recognised before it is decoded. Not called for a tombstone.
 *
 * @param <T> the type of the value
 */
@FunctionalInterface
public interface Decoder<T> {

  /**
   * Decodes the value of one record.
   *
   * @param topic the topic that the record was read from
   * @param headers the record's headers
   * @param value the record's value; must not be changed
   * @return the value, or null if the bytes say that there is none
   * @throws Exception if the bytes cannot be decoded; the record then fails alone, as if its
   *     handler had
   */
  @Nullable T decode(String topic, org.apache.kafka.common.header.Headers headers, byte[] value)
      throws Exception;
}
