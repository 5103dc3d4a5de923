package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EchoServer.Client;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class FaultRelayTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int SILENCE_MILLIS = 300;

  private EchoServer server;
  private FaultRelay relay;

  @BeforeEach
  void start() throws IOException {
    server = new EchoServer();
    relay = FaultRelay.to(server.port());
  }

  @AfterEach
  void close() {
    relay.close();
    server.close();
  }

  @Test
  void everythingPassesBothWaysAtFirst() throws IOException {
    String large = "x".repeat(300_000);
    try (Client one = new Client(relay.port());
        Client other = new Client(relay.port())) {
      assertThat(one.ask("hello")).isEqualTo("hello");
      assertThat(other.ask("there")).isEqualTo("there");
      assertThat(one.ask(large)).isEqualTo(large);
      assertThat(relay.connections()).isEqualTo(2);
    }
    await().atMost(LIMIT).until(() -> relay.connections() == 0);
    assertThat(relay.accepted()).isEqualTo(2);
  }

  @Test
  void newConnectionsAreLedToWhereTheAddressHasMoved() throws IOException {
    EchoServer moved = new EchoServer();
    try (Client before = new Client(relay.port())) {
      assertThat(before.ask("one")).isEqualTo("one");
      relay.redirect(moved.port());
      try (Client after = new Client(relay.port())) {
        assertThat(after.ask("two")).isEqualTo("two");
        assertThat(before.ask("three")).isEqualTo("three");
      }
    } finally {
      moved.close();
    }
    assertThat(moved.lines()).containsExactly("two");
    assertThat(server.lines()).containsExactly("one", "three");
  }

  @Test
  void theEndOfAStreamPassesWhileTheOtherDirectionStaysOpen() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.send("last\n");
      client.endOutput();
      assertThat(client.readLine()).isEqualTo("last");
      assertThat(client.readLine()).isNull();
    }
    await().atMost(LIMIT).until(() -> relay.connections() == 0);
  }

  @Test
  void aPauseHoldsBytesAndDeliversThemWhenItEnds() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.pause();
      client.timeout(SILENCE_MILLIS);
      assertThatThrownBy(() -> client.ask("held")).isInstanceOf(SocketTimeoutException.class);
      assertThat(server.lines()).containsExactly("before");
      relay.pass();
      client.timeout(10_000);
      assertThat(client.readLine()).isEqualTo("held");
    }
  }

  @Test
  void aPauseHoldsTheDeathOfTheServer() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.pause();
      server.close();
      client.timeout(SILENCE_MILLIS);
      assertThatThrownBy(client::readLine).isInstanceOf(SocketTimeoutException.class);
      relay.pass();
      client.timeout(10_000);
      assertThat(isOver(client)).isTrue();
    }
  }

  @Test
  void aBlackholeSwallowsBytesAndItsVictimsAreResetWhenItEnds() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.blackhole();
      client.timeout(SILENCE_MILLIS);
      assertThatThrownBy(() -> client.ask("lost")).isInstanceOf(SocketTimeoutException.class);
      relay.pass();
      client.timeout(10_000);
      assertThat(isOver(client)).isTrue();
      assertThat(server.lines()).containsExactly("before");
    }
    try (Client next = new Client(relay.port())) {
      assertThat(next.ask("after")).isEqualTo("after");
    }
  }

  @Test
  void aCutEndsWhatIsOpenAndTakesNewConnections() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.cut();
      assertThat(isOver(client)).isTrue();
    }
    try (Client next = new Client(relay.port())) {
      assertThat(next.ask("after")).isEqualTo("after");
    }
  }

  @Test
  void refusingSparesWhatIsOpenUntilItPassesAgain() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.refuse();
      assertThatThrownBy(() -> new Client(relay.port())).isInstanceOf(ConnectException.class);
      assertThat(client.ask("still")).isEqualTo("still");
      relay.pass();
    }
    try (Client next = new Client(relay.port())) {
      assertThat(next.ask("after")).isEqualTo("after");
    }
  }

  @Test
  void downIsACutThatRefuses() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.down();
      assertThat(isOver(client)).isTrue();
      assertThatThrownBy(() -> new Client(relay.port())).isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void aServerThatIsDownResetsTheClient() throws IOException {
    server.close();
    try (Client client = new Client(relay.port())) {
      assertThat(isOver(client)).isTrue();
    }
  }

  @Test
  void aReplyIsLostAfterItsRequestHasArrived() throws IOException {
    try (Client client = new Client(relay.port());
        Client other = new Client(relay.port())) {
      Fault fault = relay.dropReplyTo("COMMIT");
      assertThat(client.ask("insert")).isEqualTo("insert");
      assertThat(fault.hasHappened()).isFalse();
      assertThat(askUntilOver(client, "COMMIT")).isTrue();
      fault.await(LIMIT);
      assertThat(server.lines()).containsExactly("insert", "COMMIT");
      assertThat(other.ask("COMMIT")).isEqualTo("COMMIT");
    }
  }

  @Test
  void aRequestIsFoundThoughPacketsSplitIt() throws Exception {
    try (Client client = new Client(relay.port())) {
      Fault fault = relay.dropReplyTo("COMMIT");
      client.send("COM");
      await().atMost(LIMIT).until(() -> relay.connections() == 1);
      assertThat(client.ask("ET")).isEqualTo("COMET"); // so the first packet has gone on alone
      client.send("COM");
      assertThat(askUntilOver(client, "MIT")).isTrue();
      fault.await(LIMIT);
    }
    assertThat(server.lines()).containsExactly("COMET", "COMMIT");
  }

  @Test
  void aReplyIsLostByItsOwnText() throws IOException {
    try (Client client = new Client(relay.port())) {
      Fault fault = relay.dropReplyContaining("secret");
      assertThat(client.ask("plain")).isEqualTo("plain");
      assertThat(askUntilOver(client, "a secret answer")).isTrue();
      fault.await(LIMIT);
      assertThat(server.lines()).containsExactly("plain", "a secret answer");
    }
  }

  @Test
  void aRequestIsLostBeforeTheServerSeesIt() throws IOException {
    try (Client client = new Client(relay.port())) {
      Fault fault = relay.dropRequest("EVALSHA");
      assertThat(client.ask("GET")).isEqualTo("GET");
      assertThat(askUntilOver(client, "EVALSHA")).isTrue();
      fault.await(LIMIT);
    }
    try (Client next = new Client(relay.port())) {
      assertThat(next.ask("EVALSHA")).isEqualTo("EVALSHA");
    }
    assertThat(server.lines()).containsExactly("GET", "EVALSHA");
  }

  @Test
  void aCancelledFaultDoesNotHappen() throws IOException {
    try (Client client = new Client(relay.port())) {
      Fault fault = relay.dropRequest("GET");
      fault.cancel();
      assertThat(client.ask("GET")).isEqualTo("GET");
      assertThatThrownBy(() -> fault.await(Duration.ofMillis(1)))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("GET");
    }
  }

  @Test
  void latencyIsAddedToEachDirectionToAFractionOfAMillisecond() throws IOException {
    try (Client client = new Client(relay.port())) {
      roundTripMicros(client, 500);
      double plain = roundTripMicros(client, 500);
      relay.latency(Duration.ofNanos(500_000));
      double delayed = roundTripMicros(client, 500);
      // The machine may be busy: late is tolerated, early is not.
      assertThat(delayed - plain).isBetween(900.0, 3_000.0);
    }
  }

  @Test
  void latencyHoldsUpNothingBehindIt() throws Exception {
    int count = 200;
    relay.latency(Duration.ofMillis(50));
    try (Client client = new Client(relay.port())) {
      long begin = System.nanoTime();
      CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> sendPaced(client, count));
      for (int i = 0; i < count; i++) {
        assertThat(client.readLine()).isEqualTo("line " + i);
      }
      sender.join();
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      assertThat(took).isBetween(Duration.ofMillis(100), Duration.ofMillis(50 * count / 2));
    }
  }

  @Test
  void closingEndsConnectionsAndRefusesNewOnes() throws IOException {
    try (Client client = new Client(relay.port())) {
      client.ask("before");
      relay.pause();
      relay.close();
      relay.close();
      assertThat(isOver(client)).isTrue();
      assertThatThrownBy(() -> new Client(relay.port())).isInstanceOf(ConnectException.class);
    }
    String mine = "idembox-relay-" + relay.port();
    await()
        .atMost(LIMIT)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(t -> t.getName().startsWith(mine)));
  }

  private static void sendPaced(Client client, int count) {
    try {
      for (int i = 0; i < count; i++) {
        client.send(
            "line " + i + "\n"); // the client's socket does not delay: mostly one packet each
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static double roundTripMicros(Client client, int count) throws IOException {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long begin = System.nanoTime();
      client.ask("ping");
      nanos[i] = System.nanoTime() - begin;
    }
    Arrays.sort(nanos);
    return nanos[count / 2] / 1_000.0;
  }

  private static boolean askUntilOver(Client client, String line) throws IOException {
    try {
      client.send(line + "\n");
    } catch (SocketException e) {
      return true;
    }
    return isOver(client);
  }

  private static boolean isOver(Client client) throws IOException {
    try {
      return client.readLine() == null;
    } catch (SocketException e) {
      return true;
    }
  }
}
