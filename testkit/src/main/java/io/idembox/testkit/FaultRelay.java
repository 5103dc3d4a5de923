package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A TCP relay on the loopback address that breaks the connection between a client and a server on
 * command.
 *
 * <p>It listens on a free port and forwards each connection to the server, which may be down at the
 * time. It begins by passing everything on at once. A state set by {@link #pass}, {@link #pause} or
 * {@link #blackhole} holds for connections that are there and for new ones, until the next is set;
 * {@link #refuse} ends with {@link #pass} too.
 *
 * <p>Thread-safe. {@link #close} ends all connections and threads.
 */
public final class FaultRelay implements AutoCloseable {
  /** What becomes of bytes that have arrived. */
  enum Traffic {
    PASS,
    PAUSE,
    BLACKHOLE
  }

  private final String serverHost;
  private volatile int serverPort;
  private final int port = FreePorts.next();
  private final Set<RelayedConnection> connections = ConcurrentHashMap.newKeySet();
  private final List<Fault> faults = new CopyOnWriteArrayList<>();
  private final AtomicLong accepted = new AtomicLong();
  private final Object trafficChanged = new Object();
  private volatile Traffic traffic = Traffic.PASS;
  private volatile long latencyNanos;
  private volatile boolean closed;
  private @Nullable ServerSocket listener;
  private @Nullable Thread acceptor;

  private FaultRelay(String serverHost, int serverPort) {
    this.serverHost = serverHost;
    this.serverPort = serverPort;
  }

  /** A relay to a server on the loopback address. */
  public static FaultRelay to(int serverPort) {
    return to("127.0.0.1", serverPort);
  }

  /** A relay to a server. */
  public static FaultRelay to(String serverHost, int serverPort) {
    FaultRelay relay = new FaultRelay(requireNonNull(serverHost, "serverHost"), serverPort);
    relay.listen();
    return relay;
  }

  /** The loopback address. */
  public String host() {
    return "127.0.0.1";
  }

  /** Where clients connect, the same for the whole life of this object. */
  public int port() {
    return port;
  }

  /** {@code host:port}. */
  public String address() {
    return host() + ":" + port;
  }

  /** How many connections are open now. */
  public int connections() {
    return connections.size();
  }

  /** How many connections were ever accepted. */
  public long accepted() {
    return accepted.get();
  }

  /**
   * Everything is passed on, and new connections are taken. What was held by {@link #pause} is
   * delivered; connections that lost bytes to {@link #blackhole} are reset, since their streams
   * have holes.
   */
  public void pass() {
    set(Traffic.PASS);
    connections.stream().filter(RelayedConnection::hasHole).forEach(RelayedConnection::reset);
    listen();
  }

  /**
   * Nothing is passed on and nothing is closed; bytes and ends of streams wait for {@link #pass}: a
   * partition that heals.
   */
  public void pause() {
    set(Traffic.PAUSE);
  }

  /**
   * What arrives is thrown away, ends of streams too, and nothing is closed: a partition that does
   * not heal.
   */
  public void blackhole() {
    set(Traffic.BLACKHOLE);
  }

  private void set(Traffic value) {
    synchronized (trafficChanged) {
      traffic = value;
      trafficChanged.notifyAll();
    }
  }

  /** Resets all connections, on both sides; new ones are taken as before. */
  public void cut() {
    connections.forEach(RelayedConnection::reset);
  }

  /**
   * New connections are refused by the system, until {@link #pass}; those that are there live on.
   */
  public synchronized void refuse() {
    if (listener == null || acceptor == null) {
      return;
    }
    try {
      listener.close();
      // Until the accepting thread is out of its system call, the system still takes connections.
      acceptor.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    listener = null;
    acceptor = null;
  }

  /**
   * Leads new connections to another port of the server's host; those that are there stay where
   * they are: an address that moves.
   */
  public void redirect(int newServerPort) {
    serverPort = newServerPort;
  }

  /** {@link #refuse} and {@link #cut}: as if the server had been killed and had not come back. */
  public void down() {
    refuse();
    cut();
  }

  /**
   * Delays each direction by this much from now on, without holding up what follows: a round trip
   * takes twice as much.
   *
   * <p>Delays are kept to about 0.1 ms; near the end of one a thread spins rather than sleeps.
   *
   * @param oneWay not negative; zero for none
   */
  public void latency(Duration oneWay) {
    if (oneWay.isNegative()) {
      throw new IllegalArgumentException("latency must not be negative, is " + oneWay);
    }
    latencyNanos = oneWay.toNanos();
  }

  /**
   * Loses one reply: the next request that contains the text is passed on, and when the server's
   * next bytes on that connection arrive, the connection is reset instead. So the server has acted
   * and the client does not know.
   *
   * <p>A request is what the client sends, whatever the protocol; the text is compared as Latin-1,
   * across packets too. Replies to requests that the client has sent before on that connection, and
   * that are still under way, are lost with it. A PostgreSQL client sends the text of a statement
   * that it has prepared only once: see {@link #dropReplyContaining}.
   */
  public Fault dropReplyTo(String requestText) {
    return arm(new Fault(Fault.Kind.REPLY_TO, requestText));
  }

  /**
   * Loses one reply: the next bytes from the server that contain the text are not passed on; the
   * connection is reset.
   *
   * <p>PostgreSQL answers each commit with {@code COMMIT}.
   */
  public Fault dropReplyContaining(String replyText) {
    return arm(new Fault(Fault.Kind.REPLY, replyText));
  }

  /**
   * Loses one request: the next one that contains the text is not passed on; the connection is
   * reset.
   */
  public Fault dropRequest(String requestText) {
    return arm(new Fault(Fault.Kind.REQUEST, requestText));
  }

  private Fault arm(Fault fault) {
    faults.removeIf(Fault::isOver);
    faults.add(fault);
    return fault;
  }

  /**
   * The first fault of this kind that has not happened and whose text has now been completed. It
   * has happened then.
   */
  @Nullable Fault claim(Fault.Kind kind, StreamWindow window) {
    for (Fault fault : faults) {
      if (fault.kind() == kind && window.justCompleted(fault.bytes()) && fault.claim()) {
        faults.removeIf(Fault::isOver);
        return fault;
      }
    }
    return null;
  }

  boolean isWatching() {
    return !faults.isEmpty();
  }

  long latencyNanos() {
    return latencyNanos;
  }

  /** Waits while paused; what to do then. */
  Traffic awaitTraffic() throws InterruptedException {
    if (traffic != Traffic.PAUSE) {
      return traffic;
    }
    synchronized (trafficChanged) {
      while (traffic == Traffic.PAUSE) {
        trafficChanged.wait();
      }
      return traffic;
    }
  }

  void forget(RelayedConnection connection) {
    connections.remove(connection);
  }

  private synchronized void listen() {
    if (listener != null || closed) {
      return;
    }
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(host()), port), 512);
      listener = socket;
      acceptor = RelayedConnection.thread("accept", port, () -> accept(socket));
    } catch (IOException e) {
      throw new UncheckedIOException("The relay cannot listen on port " + port, e);
    }
  }

  private void accept(ServerSocket socket) {
    while (true) {
      try {
        Socket client = socket.accept();
        accepted.incrementAndGet();
        Thread unused = RelayedConnection.thread("connect", port, () -> connect(client));
      } catch (IOException e) {
        return; // closed by refuse() or close()
      }
    }
  }

  private void connect(Socket client) {
    RelayedConnection connection = new RelayedConnection(this, client);
    connections.add(connection);
    connection.open(serverHost, serverPort);
    if (closed) {
      connection.reset();
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    closed = true;
    refuse();
    set(Traffic.BLACKHOLE);
    cut();
  }
}
