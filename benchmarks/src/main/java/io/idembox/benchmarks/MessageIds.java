package io.idembox.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** How the contenders other than Idembox find a record's id. */
final class MessageIds {
  static final String HEADER = "message-id";

  private MessageIds() {}

  static UUID of(ConsumerRecord<?, ?> record) {
    Header header = record.headers().lastHeader(HEADER);
    if (header == null) {
      throw new BenchmarkException("A record has no header " + HEADER);
    }
    return UUID.fromString(new String(header.value(), StandardCharsets.US_ASCII));
  }
}
