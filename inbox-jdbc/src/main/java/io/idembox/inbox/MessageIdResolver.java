package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.MessageIdentity.Known;
import io.idembox.inbox.MessageIdentity.Source;
import io.idembox.inbox.MessageIdentity.Unusable;
import io.idembox.inbox.MessageIds.Hashed;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who a message is: by a header, else by the CloudEvents pair of source and id, else by
 * an extractor, else by its coordinates (topic id, partition, leader epoch, offset).
 *
 * <p>An id that is there but cannot be used (null, empty, blank, two different values) is never
 * passed over for the next rule: the answer is {@link Unusable}, with the reason. Equal values
 * given twice are one value. Ids are bytes, compared as such; nothing is trimmed or folded.
 *
 * <p>Immutable apart from counters; thread-safe.
 */
public final class MessageIdResolver {
  /** The header that is asked first unless set otherwise, {@value}. */
  public static final String DEFAULT_HEADER = "message-id";

  private static final UUID ZERO = new UUID(0, 0);
  private static final byte[] NO_SCOPE = {};

  private final @Nullable String header;
  private final boolean cloudEvents;
  private final @Nullable MessageIdExtractor extractor;
  private final @Nullable String extractorName;
  private final IdScope scope;
  private final @Nullable String copyOf;
  private final InboxMetrics metrics;

  private final Map<String, byte[]> scopes = new ConcurrentHashMap<>();
  private final Map<Partition, Long> partitionPrefixes = new ConcurrentHashMap<>();

  private record Partition(UUID topicId, String topic, int number, int leaderEpoch) {}

  private MessageIdResolver(Builder builder) {
    this.header = builder.header;
    this.cloudEvents = builder.cloudEvents;
    this.extractor = builder.extractor;
    this.extractorName = builder.extractorName;
    this.scope = builder.scope;
    this.copyOf = builder.copyOf;
    this.metrics = builder.metrics;
  }

  /**
   * The defaults: header {@value #DEFAULT_HEADER}, CloudEvents, coordinates; ids scoped by topic.
   */
  public static MessageIdResolver defaults() {
    return builder().build();
  }

  /** Starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** The identity of a record; does no I/O and never throws for what a record holds. */
  public MessageIdentity resolve(InboundRecord record) {
    MessageIdentity identity = find(record);
    if (identity instanceof Known known) {
      metrics.identified(known.source());
    } else {
      metrics.unusableId();
    }
    return identity;
  }

  private MessageIdentity find(InboundRecord record) {
    if (header != null) {
      List<byte @Nullable []> values = record.headers().values(header);
      if (!values.isEmpty()) {
        return fromHeader(record, header, values);
      }
    }
    if (cloudEvents) {
      CloudEventId.Answer answer = CloudEventId.of(record);
      if (answer.problem() != null) {
        return unusable(record, answer.problem());
      }
      if (answer.id() != null) {
        return new Known(answer.id(), Source.CLOUD_EVENT);
      }
    }
    if (extractor != null) {
      MessageIdentity extracted = fromExtractor(record, extractor);
      if (extracted != null) {
        return extracted;
      }
    }
    if (ZERO.equals(record.topicId())) {
      // A topic made again would count from 0 under the same name: its records would be taken for
      // old ones.
      return unusable(
          record, "the record has no id, and the broker names no topic id to make one from");
    }
    return new Known(coordinates(record), Source.COORDINATES);
  }

  /**
   * These settings as a short text. It is kept with the consumer: under other settings the same
   * records would get other identities, and be handled again.
   */
  public String fingerprint() {
    return "v1 header="
        + (header == null ? "-" : header)
        + " cloud-events="
        + (cloudEvents ? "on" : "off")
        + " extractor="
        + (extractorName == null ? "-" : extractorName)
        + " scope="
        + (copyOf == null ? scope.name().toLowerCase(java.util.Locale.ROOT) : "copy-of:" + copyOf);
  }

  private MessageIdentity fromHeader(
      InboundRecord record, String name, List<byte @Nullable []> values) {
    IdValue value = IdValue.of("header " + name, values);
    byte[] bytes = value.bytes();
    return bytes == null
        ? unusable(record, value.problem())
        : new Known(scoped(record, bytes), Source.HEADER);
  }

  private @Nullable MessageIdentity fromExtractor(
      InboundRecord record, MessageIdExtractor extractor) {
    byte[] bytes;
    try {
      bytes = extractor.extract(record);
    } catch (Exception | StackOverflowError e) {
      // A value that is nested deeply enough ends every recursive parser so.
      return unusable(
          record,
          "id extractor "
              + extractorName
              + " failed: "
              + IdValue.shown(String.valueOf(Causes.message(e))));
    }
    if (bytes == null) {
      return null;
    }
    IdValue value =
        IdValue.of("id from extractor " + extractorName, Arrays.asList(new byte[][] {bytes}));
    return value.bytes() == null
        ? unusable(record, value.problem())
        : new Known(scoped(record, bytes), Source.EXTRACTOR);
  }

  private UUID scoped(InboundRecord record, byte[] id) {
    UUID canonical = MessageIds.canonical(id);
    if (canonical != null) {
      return canonical;
    }
    if (scope == IdScope.CONSUMER) {
      return MessageIds.hashed(Hashed.CONSUMER_SCOPED, NO_SCOPE, id);
    }
    String topic = copyOf == null ? record.topic() : copyOf;
    return MessageIds.hashed(
        Hashed.TOPIC_SCOPED, scopes.computeIfAbsent(topic, MessageIds::utf8), id);
  }

  private Unusable unusable(InboundRecord record, String reason) {
    return new Unusable(coordinates(record), reason);
  }

  private UUID coordinates(InboundRecord record) {
    long prefix =
        partitionPrefixes.computeIfAbsent(
            new Partition(
                record.topicId(), record.topic(), record.partition(), record.leaderEpoch()),
            p -> MessageIds.partitionPrefix(p.topicId(), p.topic(), p.number(), p.leaderEpoch()));
    return MessageIds.coordinates(prefix, record.timestamp(), record.offset());
  }

  /** Settings of a resolver. Not thread-safe. */
  public static final class Builder {
    private @Nullable String header = DEFAULT_HEADER;
    private boolean cloudEvents = true;
    private @Nullable MessageIdExtractor extractor;
    private @Nullable String extractorName;
    private IdScope scope = IdScope.TOPIC;
    private @Nullable String copyOf;
    private InboxMetrics metrics = InboxMetrics.NONE;

    private Builder() {}

    /**
     * The header that carries the id. Names are case-sensitive, as they are in Kafka.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public Builder header(String name) {
      if (requireNonNull(name, "name").isBlank()) {
        throw new IllegalArgumentException("The name of the message-id header is blank");
      }
      this.header = name;
      return this;
    }

    /** Asks no header. */
    public Builder noHeader() {
      this.header = null;
      return this;
    }

    /**
     * Whether records that are CloudEvents (binary or structured JSON) are known by source and id.
     */
    public Builder cloudEvents(boolean cloudEvents) {
      this.cloudEvents = cloudEvents;
      return this;
    }

    /**
     * Asks this code when neither a header nor a CloudEvents pair was there.
     *
     * @param name stands for the code in the fingerprint: change it when the code gives other ids
     * @throws IllegalArgumentException if the name is blank
     */
    public Builder extractor(String name, MessageIdExtractor extractor) {
      if (requireNonNull(name, "name").isBlank()) {
        throw new IllegalArgumentException("The name of the id extractor is blank");
      }
      this.extractorName = name;
      this.extractor = requireNonNull(extractor, "extractor");
      return this;
    }

    /**
     * Reads the id from a JSON value; see {@link MessageIdExtractor#jsonPointer}.
     *
     * @throws IllegalArgumentException if it is no JSON pointer
     */
    public Builder jsonPointer(String pointer) {
      return extractor("json:" + pointer, MessageIdExtractor.jsonPointer(pointer));
    }

    /**
     * How far ids reach that are neither UUIDs nor CloudEvents pairs. Default: {@link
     * IdScope#TOPIC}.
     */
    public Builder scope(IdScope scope) {
      this.scope = requireNonNull(scope, "scope");
      return this;
    }

    /**
     * The topic read holds copies of this one's records (a migration, a mirror): their ids are
     * scoped as if they stood there.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public Builder copyOf(String topic) {
      if (requireNonNull(topic, "topic").isBlank()) {
        throw new IllegalArgumentException("The name of the topic that was copied is blank");
      }
      this.copyOf = topic;
      return this;
    }

    /** Where to count the sources of identities. Default: nowhere. */
    public Builder metrics(InboxMetrics metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /**
     * Checks the settings against each other.
     *
     * @throws IllegalArgumentException if a copied topic is named though ids reach over all topics
     */
    public MessageIdResolver build() {
      if (copyOf != null && scope == IdScope.CONSUMER) {
        throw new IllegalArgumentException(
            "copyOf("
                + copyOf
                + ") means nothing with scope CONSUMER, where ids reach over all topics: leave one out");
      }
      return new MessageIdResolver(this);
    }
  }
}
