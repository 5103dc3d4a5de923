package io.idembox.runtime;

import io.idembox.inbox.MessageHeaders;
import io.idembox.inbox.MessageIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One record of a topic, decoded, with the identity under which the inbox knows it.
 *
 * <p>Immutable, except that the key and header bytes are the record's own arrays and must not be
 * changed. Printing a message shows where it came from and its id, never its content.
 *
 * @param <T> the type of the decoded value
 */
public final class InboxMessage<T> {
  private final ConsumerRecord<byte[], byte[]> record;
  private final MessageHeaders headers;
  private final MessageIdentity.Known identity;
  private final @Nullable T value;

  InboxMessage(
      ConsumerRecord<byte[], byte[]> record,
      MessageHeaders headers,
      MessageIdentity.Known identity,
      @Nullable T value) {
    this.record = record;
    this.headers = headers;
    this.identity = identity;
    this.value = value;
  }

  /** The identity that the inbox remembers: 16 bytes that also carry their kind. */
  public UUID id() {
    return identity.id();
  }

  /** Where the identity came from; {@code COORDINATES} is weak, as a copy has others. */
  public MessageIdentity.Source idSource() {
    return identity.source();
  }

  /** The decoded value, or null for a tombstone (a record whose value is null). */
  public @Nullable T value() {
    return value;
  }

  /** Whether the record has no value, which a change feed sends for a deletion. */
  public boolean isTombstone() {
    return record.value() == null;
  }

  /** The record's key as it came, or null for a record without a key. */
  public byte @Nullable [] key() {
    return record.key();
  }

  /**
   * The record's key as text, empty for a record without a key.
   *
   * @throws IllegalStateException if the key is not valid UTF-8
   */
  public Optional<String> keyText() {
    return Optional.ofNullable(record.key()).map(bytes -> strictText(bytes, "key"));
  }

  /** All headers, as raw bytes. */
  public MessageHeaders headers() {
    return headers;
  }

  /**
   * The header of this exact name as text; the last one where the name is repeated, and empty where
   * it is absent or its value is null.
   *
   * @throws IllegalStateException if the value is not valid UTF-8
   */
  public Optional<String> header(String name) {
    List<byte @Nullable []> values = headers.values(name);
    if (values.isEmpty()) {
      return Optional.empty();
    }
    return Optional.ofNullable(values.get(values.size() - 1))
        .map(bytes -> strictText(bytes, "header " + name));
  }

  /** The record's timestamp: set by its producer or by the broker, as the topic is configured. */
  public Instant timestamp() {
    return Instant.ofEpochMilli(record.timestamp());
  }

  /** The topic that the record was read from. */
  public String topic() {
    return record.topic();
  }

  /** The partition that the record was read from. */
  public int partition() {
    return record.partition();
  }

  /** The record's offset in its partition. */
  public long offset() {
    return record.offset();
  }

  private String strictText(byte[] bytes, String what) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalStateException("The " + what + " of " + this + " is not UTF-8 text", e);
    }
  }

  /** Topic, partition, offset and id; never the content. */
  @Override
  public String toString() {
    return Coordinates.of(record) + " (id " + identity.id() + ")";
  }
}
