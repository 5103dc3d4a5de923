package io.idembox.runtime;

import io.idembox.inbox.DeadLetter;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies dead letters to a topic, beside their rows. Whatever becomes of that, the rows stand and
 * offsets have moved: a letter is sent until the brokers have acknowledged it and that is noted, so
 * a crash in between, or two members at once, may send it twice, with the same header {@code
 * idembox-letter-id}.
 */
final class LetterRelay {
  private static final Logger log = LoggerFactory.getLogger(LetterRelay.class);
  private static final int MOST_AT_ONCE = 100;
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LAST_ACKNOWLEDGEMENTS = Duration.ofSeconds(1);

  private final String consumer;
  private final String topic;
  private final DeadLetters letters;
  private final Supplier<Producer<byte[], byte[]>> connect;
  private final ConsumerMetrics metrics;
  private final PeriodicTask task;
  private volatile @Nullable Producer<byte[], byte[]> producer;
  private final Set<Long> tooLarge = new HashSet<>();
  private volatile boolean closed;

  LetterRelay(
      String consumer,
      String topic,
      DeadLetters letters,
      Map<String, Object> properties,
      ConsumerMetrics metrics) {
    this.consumer = consumer;
    this.topic = topic;
    this.letters = letters;
    this.metrics = metrics;
    this.connect = () -> new KafkaProducer<>(properties);
    this.task = new PeriodicTask(consumer + "-letter-relay", this::relay);
  }

  void start() {
    task.start(INTERVAL, INTERVAL);
  }

  private void relay() {
    while (!closed) {
      List<DeadLetter> unrelayed =
          letters.unrelayed(MOST_AT_ONCE + tooLarge.size()).stream()
              .filter(letter -> !tooLarge.contains(letter.id()))
              .toList();
      if (unrelayed.isEmpty()) {
        return;
      }
      relay(unrelayed);
    }
  }

  private void relay(List<DeadLetter> unrelayed) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (DeadLetter letter : unrelayed) {
      sent.add(producer().send(record(letter)));
      // A topic that is missing costs each send its whole time-out: one is enough to know.
      if (closed || hasFailed(sent.get(sent.size() - 1))) {
        break;
      }
    }
    producer().flush();
    List<Long> acknowledged = new ArrayList<>();
    @Nullable Throwable failure = null;
    int failed = 0;
    for (int i = 0; i < sent.size(); i++) {
      try {
        sent.get(i).get();
        acknowledged.add(unrelayed.get(i).id());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RecordTooLargeException) {
          leave(unrelayed.get(i), e.getCause());
        } else {
          failure = e.getCause();
          failed++;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    if (!acknowledged.isEmpty()) {
      letters.relayed(acknowledged);
      metrics.letterCopies("copied", acknowledged.size());
      log.info("{} dead letters were copied to topic {}", acknowledged.size(), topic);
    }
    if (failure != null) {
      metrics.letterCopies("failed", failed);
      throw new LetterRelayException(topic, failure);
    }
  }

  /** Whether the send has ended already, and not by being too large, which concerns it alone. */
  private static boolean hasFailed(Future<RecordMetadata> sent) {
    if (!sent.isDone()) {
      return false;
    }
    try {
      sent.get();
      return false;
    } catch (ExecutionException e) {
      return !(e.getCause() instanceof RecordTooLargeException);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** It will not fit the next time either, and those behind it must not wait for it. */
  private void leave(DeadLetter letter, Throwable why) {
    tooLarge.add(letter.id());
    metrics.letterCopies("too_large", 1);
    log.error(
        "Dead letter {} of {}-{}@{} is too large for topic {} and stays in the database alone until"
            + " the next start: {}; raise the topic's max.message.bytes",
        letter.id(),
        letter.topic(),
        letter.claim().partition(),
        letter.claim().offset(),
        topic,
        Causes.summary(why));
  }

  private Producer<byte[], byte[]> producer() {
    Producer<byte[], byte[]> connected = producer;
    if (connected == null) {
      connected = connect.get();
      producer = connected;
    }
    return connected;
  }

  private ProducerRecord<byte[], byte[]> record(DeadLetter letter) {
    DeadLetterContent content = letter.content();
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, null, content.key(), content.value());
    content.headers().forEach(header -> record.headers().add(header.name(), header.value()));
    add(record, "idembox-letter-id", Long.toString(letter.id()));
    add(record, "idembox-consumer", consumer);
    add(record, "idembox-message-id", letter.claim().messageId().toString());
    add(record, "idembox-topic", letter.topic());
    add(record, "idembox-partition", Integer.toString(letter.claim().partition()));
    add(record, "idembox-offset", Long.toString(letter.claim().offset()));
    if (content.timestamp() != null) {
      add(record, "idembox-timestamp", content.timestamp().toString());
    }
    add(record, "idembox-attempts", Integer.toString(letter.attempts()));
    add(record, "idembox-reason", letter.error().reason());
    add(record, "idembox-cause-class", letter.error().causeClass());
    if (letter.error().causeMessage() != null) {
      add(record, "idembox-cause-message", letter.error().causeMessage());
    }
    return record;
  }

  private static void add(ProducerRecord<byte[], byte[]> record, String name, String value) {
    // In place of that of an earlier letter, whose copy was sent back: they must not pile up.
    record.headers().remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Waits only a moment: what was not acknowledged is sent by the next member. */
  void close() {
    closed = true;
    task.close(LAST_ACKNOWLEDGEMENTS);
    Producer<byte[], byte[]> connected = producer;
    if (connected != null) {
      connected.close(Duration.ZERO);
    }
  }
}
