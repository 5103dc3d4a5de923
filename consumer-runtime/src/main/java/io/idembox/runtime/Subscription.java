package io.idembox.runtime;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Which topics are read, how their values become types, and which handler gets them. Immutable.
 *
 * <pre>{@code
 * Subscription.topics("orders").json(OrderCreated.class, new BillingHandler())
 *
 * Subscription.topics("orders")
 *     .types(TypeName.header("event-type"))
 *     .on("OrderCreated", OrderCreated.class, new BillingHandler())
 *     .on("InvoiceRequested", InvoiceRequested.class, new InvoiceHandler())
 * }</pre>
 */
public final class Subscription {
  private final Set<String> topics;
  private final @Nullable TypeName typeName;
  private final Map<String, Route<?>> routes;
  private final @Nullable Route<?> only;
  private final boolean orderedEffects;

  private Subscription(
      Set<String> topics,
      @Nullable TypeName typeName,
      Map<String, Route<?>> routes,
      @Nullable Route<?> only,
      boolean orderedEffects) {
    this.topics = topics;
    this.typeName = typeName;
    this.routes = routes;
    this.only = only;
    this.orderedEffects = orderedEffects;
    if (orderedEffects && hasBatchHandler()) {
      throw new IllegalArgumentException(
          "Subscription to "
              + topics
              + " runs its effects in order of the record keys, but has a BatchInboxHandler, whose"
              + " effects belong to no single record: give it an InboxHandler, or leave"
              + " orderedEffects() out");
    }
  }

  /**
   * Begins a subscription.
   *
   * @throws IllegalArgumentException if there is no topic, or one is blank or named twice
   */
  public static Topics topics(String... names) {
    return new Topics(List.of(names));
  }

  /**
   * One type more, by its name in the record. A type that is not listed is recorded as ignored.
   *
   * @throws IllegalStateException if this subscription does not tell types apart by name
   * @throws IllegalArgumentException if the name is blank or already has a handler
   */
  public <T> Subscription on(String type, Class<T> valueType, InboxHandler<? super T> handler) {
    return on(type, Decoders.json(valueType), handler);
  }

  /** As {@link #on(String, Class, InboxHandler)}, with a decoder of the caller's choice. */
  public <T> Subscription on(String type, Decoder<T> decoder, InboxHandler<? super T> handler) {
    return withType(type, new Route<>(decoder, handler, null));
  }

  /** As {@link #on(String, Class, InboxHandler)}, for a handler that takes lists. */
  public <T> Subscription onBatches(String type, Class<T> valueType, BatchInboxHandler<T> handler) {
    return onBatches(type, Decoders.json(valueType), handler);
  }

  /** As {@link #on(String, Decoder, InboxHandler)}, for a handler that takes lists. */
  public <T> Subscription onBatches(String type, Decoder<T> decoder, BatchInboxHandler<T> handler) {
    return withType(type, new Route<>(decoder, null, handler));
  }

  private Subscription withType(String type, Route<?> route) {
    if (typeName == null) {
      throw new IllegalStateException(
          "Subscription to " + topics + " has one handler for all types; begin it with types(...)");
    }
    if (type.isBlank() || routes.containsKey(type)) {
      throw new IllegalArgumentException(
          "Subscription to " + topics + ": the type name '" + type + "' is blank or listed twice");
    }
    Map<String, Route<?>> more = new LinkedHashMap<>(routes);
    more.put(type, route);
    return new Subscription(topics, typeName, Map.copyOf(more), null, orderedEffects);
  }

  /**
   * Runs the {@code afterCommit} effects of one record key one after the other, in the order in
   * which its records were handled and asked for them, whatever their names. Default: effects run
   * beside each other, unless they have one effect key.
   *
   * <p>An effect starts when all before it of its record key have happened, were rejected, or were
   * given up ({@code FAILED}, as the partition goes on behind a dead letter). One that waits for
   * its next attempt, or is held for a person, holds up those behind it, and only those: other
   * keys, records and offsets go on. This is kept over crashes and rebalances, by the database. A
   * failed effect that is opened again, by a new request or a person, goes to the end.
   *
   * <p>Records without a key have no order, as under {@link Ordering#KEY}; neither have effects of
   * dead letters that are retried, nor those asked for by {@code once}, which run with their
   * record. Each effect of a key costs two statements of its own, so a topic with few keys is
   * slower.
   *
   * @throws IllegalArgumentException if there is a {@link BatchInboxHandler}, now or later: its
   *     effects belong to no single record
   */
  public Subscription orderedEffects() {
    return new Subscription(topics, typeName, routes, only, true);
  }

  boolean hasOrderedEffects() {
    return orderedEffects;
  }

  private boolean hasBatchHandler() {
    return (only != null && only.batch() != null)
        || routes.values().stream().anyMatch(route -> route.batch() != null);
  }

  Set<String> topics() {
    return topics;
  }

  boolean hasHandler() {
    return only != null || !routes.isEmpty();
  }

  /** The route of one record, or null where its type is not listed. */
  @Nullable Route<?> route(ConsumerRecord<byte[], byte[]> record) throws Exception {
    if (typeName == null) {
      return only;
    }
    String name = typeName.of(record);
    return name == null ? null : routes.get(name);
  }

  /** A subscription that has topics and needs a handler. */
  public static final class Topics {
    private final Set<String> names;

    private Topics(List<String> names) {
      this.names = Set.copyOf(new LinkedHashSet<>(names));
      if (names.isEmpty()
          || this.names.size() != names.size()
          || names.stream().anyMatch(String::isBlank)) {
        throw new IllegalArgumentException(
            "A subscription needs topic names that are not blank and differ; given: " + names);
      }
    }

    /** All values are JSON of one type. */
    public <T> Subscription json(Class<T> valueType, InboxHandler<? super T> handler) {
      return decodedBy(Decoders.json(valueType), handler);
    }

    /** All values are decoded by one decoder. */
    public <T> Subscription decodedBy(Decoder<T> decoder, InboxHandler<? super T> handler) {
      return new Subscription(names, null, Map.of(), new Route<>(decoder, handler, null), false);
    }

    /** All values are JSON of one type, and go to a handler that takes lists. */
    public <T> Subscription jsonBatches(Class<T> valueType, BatchInboxHandler<T> handler) {
      return batchesDecodedBy(Decoders.json(valueType), handler);
    }

    /** All values are decoded by one decoder, and go to a handler that takes lists. */
    public <T> Subscription batchesDecodedBy(Decoder<T> decoder, BatchInboxHandler<T> handler) {
      return new Subscription(names, null, Map.of(), new Route<>(decoder, null, handler), false);
    }

    /** Values are of several types, told apart by name; list them with {@code on}. */
    public Subscription types(TypeName typeName) {
      return new Subscription(
          names, Objects.requireNonNull(typeName, "typeName"), Map.of(), null, false);
    }
  }
}
