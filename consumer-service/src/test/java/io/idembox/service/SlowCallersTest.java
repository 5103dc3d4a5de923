package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers that begin something and then stand still, more of them than the server has threads: an
 * orchestrator that gets no answer to its probe kills a service that works.
 */
final class SlowCallersTest extends RunningServiceTestBase {
  private static final int CALLERS = 40;
  private static final int AT_ONCE = 2_000;

  private final List<SocketChannel> callers = new ArrayList<>();

  @AfterEach
  void hangUp() throws IOException {
    for (SocketChannel caller : callers) {
      caller.close();
    }
  }

  /** What a caller sends before it stands still. */
  enum Begun {
    HALF_A_LINE("GET /health/li"),
    HALF_THE_HEADERS("GET /health/live HTTP/1.1\r\nHost: x\r\nX-More: "),
    HALF_A_BODY(
        "POST /api/dead-letters/1/discard HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
            + TOKEN
            + "\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"why\""),
    HALF_A_BODY_FOR_A_PROBE(
        "POST /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{\"why\""),
    METRICS_THAT_NOBODY_READS("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(AT_ONCE)),
    PROBES_THAT_NOBODY_READS("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".repeat(AT_ONCE * 20));

    private final String text;

    Begun(String text) {
      this.text = text;
    }
  }

  @ParameterizedTest
  @EnumSource(Begun.class)
  void aProbeIsAnsweredAllTheSame(Begun begun) throws Exception {
    start(Map.of());
    byte[] request = begun.text.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < CALLERS; i++) {
      SocketChannel caller =
          SocketChannel.open(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), service.httpPort()));
      callers.add(caller);
      caller.configureBlocking(false);
      send(caller, ByteBuffer.wrap(request));
    }
    for (int i = 0; i < 5; i++) {
      // Each on a connection of its own, as a probe comes.
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(url("/health/live")))
                      .timeout(Duration.ofSeconds(3))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
  }

  /** As much as the server takes: it stops to read when it cannot answer. */
  private static void send(SocketChannel caller, ByteBuffer request) {
    try {
      int idle = 0;
      while (request.hasRemaining() && idle < 1_000) {
        idle = caller.write(request) == 0 ? idle + 1 : 0;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
