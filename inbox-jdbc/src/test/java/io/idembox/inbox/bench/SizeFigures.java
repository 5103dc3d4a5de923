package io.idembox.inbox.bench;

import io.idembox.inbox.InboundRecord;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.MessageHeaders;
import io.idembox.inbox.MessageIdResolver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Bytes a row, index included, for each kind of identity, as batches of several partitions bring
 * them in.
 */
final class SizeFigures {
  private static final int BATCH = 500;
  private static final int PARTITIONS = 8;

  private final FigureDatabase database;
  private final MessageIdResolver resolver = MessageIdResolver.defaults();

  SizeFigures(FigureDatabase database) {
    this.database = database;
  }

  void measure(int rows, Map<String, Double> figures) throws Exception {
    Random random = new Random(1);
    figures.put(
        "rowBytes.randomUuid",
        size(rows, n -> header(new UUID(v4(random), variant(random)).toString())));
    figures.put("rowBytes.otherIds", size(rows, n -> header("order-" + n)));
    figures.put("rowBytes.cloudEvents", size(rows, n -> cloudEvent("event-" + n)));
    figures.put("rowBytes.timeOrderedUuid", size(rows, n -> header(v7(n, random).toString())));
    figures.put("rowBytes.coordinates", size(rows, n -> name -> List.of()));
  }

  private double size(int rows, LongFunction<MessageHeaders> headers) throws Exception {
    database.execute("truncate idembox.inbox");
    long[] offsets = new long[PARTITIONS];
    for (int done = 0; done < rows; done += BATCH) {
      int partition = done / BATCH % PARTITIONS;
      List<InboxClaim> claims = new ArrayList<>(BATCH);
      for (int i = 0; i < BATCH; i++) {
        long offset = offsets[partition]++;
        Stored record =
            new Stored(partition, offset, 1_790_000_000_000L + done + i, headers.apply(done + i));
        claims.add(
            new InboxClaim(resolver.resolve(record).id(), database.topic, partition, offset));
      }
      database.inbox.run(claims, b -> {});
    }
    return database.number("select pg_total_relation_size('idembox.inbox')") / rows;
  }

  private static MessageHeaders header(String id) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    return name -> name.equals("message-id") ? List.<byte @Nullable []>of(bytes) : List.of();
  }

  private static MessageHeaders cloudEvent(String id) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    byte[] source = {'/', 's'};
    return name ->
        switch (name) {
          case "ce_id" -> List.<byte @Nullable []>of(bytes);
          case "ce_source" -> List.<byte @Nullable []>of(source);
          default -> List.of();
        };
  }

  private static long v4(Random random) {
    return (random.nextLong() & ~0xf000L) | 0x4000L;
  }

  private static long variant(Random random) {
    return (random.nextLong() >>> 2) | (0b10L << 62);
  }

  /** A thousand a second, as producers make them. */
  private static UUID v7(long n, Random random) {
    long millis = 1_790_000_000_000L + n;
    return new UUID((millis << 16) | 0x7000L | random.nextInt(0x1000), variant(random));
  }

  private record Stored(int partition, long offset, long timestamp, MessageHeaders headers)
      implements InboundRecord {
    @Override
    public String topic() {
      return "orders";
    }

    @Override
    public UUID topicId() {
      return FigureDatabase.TOPIC;
    }

    @Override
    public byte @Nullable [] key() {
      return null;
    }

    @Override
    public byte @Nullable [] value() {
      return null;
    }
  }
}
