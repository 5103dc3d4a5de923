package io.idembox.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection through a {@link FaultRelay}: a reader and a writer thread for each
 * direction, with a bounded queue between them, so that a delay holds up no bytes behind it.
 */
final class RelayedConnection {
  private static final int CHUNK_BYTES = 16 * 1024;
  private static final int QUEUED_CHUNKS = 256;
  private static final long SETTLE_MILLIS = 20;
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  // A parked thread wakes up about 60 µs late: the last stretch is spun.
  private static final long SPIN_NANOS = 80_000;

  /**
   * Bytes and the {@link System#nanoTime} from which they may go on; no bytes stand for the end of
   * the stream.
   */
  private static final class Chunk {
    private final byte[] bytes;
    private final long due;

    Chunk(byte[] bytes, long due) {
      this.bytes = bytes;
      this.due = due;
    }
  }

  private final FaultRelay relay;
  private final Socket client;
  private final Socket server = new Socket();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger openDirections = new AtomicInteger(2);
  private volatile boolean hole;
  private volatile @Nullable Fault waitingForReply;
  private final BlockingQueue<Chunk> toServer = new ArrayBlockingQueue<>(QUEUED_CHUNKS);
  private final BlockingQueue<Chunk> toClient = new ArrayBlockingQueue<>(QUEUED_CHUNKS);

  RelayedConnection(FaultRelay relay, Socket client) {
    this.relay = relay;
    this.client = client;
  }

  static Thread thread(String role, int port, Runnable work) {
    Thread thread = new Thread(work, "idembox-relay-" + port + "-" + role);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /**
   * Connects to the server and begins to forward; a server that cannot be reached resets the
   * client.
   */
  void open(String host, int port) {
    try {
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      server.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT_MILLIS);
    } catch (IOException e) {
      reset();
      return;
    }
    start("request-read", () -> read(client, toServer));
    start("request-write", () -> write(server, toServer, this::isRequestLost));
    start("reply-read", () -> read(server, toClient));
    start("reply-write", () -> write(client, toClient, this::isReplyLost));
  }

  private void start(String role, Runnable work) {
    Thread unused = thread(role, relay.port(), work);
  }

  boolean hasHole() {
    return hole;
  }

  /**
   * Tells for each chunk, in order, whether the connection is to be reset instead of passing it on.
   */
  private interface Watch {
    @Nullable Fault lostBy(StreamWindow window);
  }

  private @Nullable Fault isRequestLost(StreamWindow window) {
    Fault toWaitFor = relay.claim(Fault.Kind.REPLY_TO, window);
    if (toWaitFor != null) {
      waitingForReply = toWaitFor;
    }
    return relay.claim(Fault.Kind.REQUEST, window);
  }

  private @Nullable Fault isReplyLost(StreamWindow window) {
    Fault waiting = waitingForReply;
    return waiting != null ? waiting : relay.claim(Fault.Kind.REPLY, window);
  }

  private void read(Socket from, BlockingQueue<Chunk> queue) {
    byte[] buffer = new byte[CHUNK_BYTES];
    try {
      InputStream in = from.getInputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (count > 0) {
          queue.put(
              new Chunk(Arrays.copyOf(buffer, count), System.nanoTime() + relay.latencyNanos()));
        }
      }
      queue.put(new Chunk(new byte[0], System.nanoTime() + relay.latencyNanos()));
    } catch (IOException e) {
      resetUnlessHeld();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  // While nothing passes, the other side must not learn that this one is gone.
  private void resetUnlessHeld() {
    try {
      if (relay.awaitTraffic() == FaultRelay.Traffic.PASS) {
        reset();
      } else {
        hole = true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  private void write(Socket to, BlockingQueue<Chunk> queue, Watch watch) {
    StreamWindow window = new StreamWindow();
    try {
      OutputStream out = to.getOutputStream();
      while (!over.get()) {
        Chunk chunk = queue.take();
        awaitDue(chunk.due);
        if (relay.awaitTraffic() == FaultRelay.Traffic.BLACKHOLE) {
          hole = true;
        } else if (chunk.bytes.length == 0) {
          to.shutdownOutput();
          directionEnded();
          return;
        } else if (!isLost(chunk, window, watch)) {
          out.write(chunk.bytes);
        }
      }
    } catch (IOException e) {
      resetUnlessHeld();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  private boolean isLost(Chunk chunk, StreamWindow window, Watch watch)
      throws InterruptedException {
    if (waitingForReply == null && !relay.isWatching()) {
      window.clear();
      return false;
    }
    window.add(chunk.bytes);
    Fault fault = watch.lostBy(window);
    if (fault == null) {
      return false;
    }
    if (fault.kind() == Fault.Kind.REPLY_TO) {
      // These bytes may answer an earlier request: a reset now could reach the server before it has
      // read this one.
      while (toClient.poll(SETTLE_MILLIS, TimeUnit.MILLISECONDS) != null && !over.get()) {
        window.clear();
      }
    }
    reset();
    fault.done();
    return true;
  }

  private static void awaitDue(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      if (left > SPIN_NANOS) {
        LockSupport.parkNanos(left - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private void directionEnded() {
    if (openDirections.decrementAndGet() == 0) {
      end(false);
    }
  }

  /** Ends both sides with a TCP reset, so that a waiting peer learns it at once. */
  void reset() {
    end(true);
  }

  private void end(boolean abruptly) {
    if (over.compareAndSet(false, true)) {
      relay.forget(this);
      close(client, abruptly);
      close(server, abruptly);
      // Lets go the threads that wait for room or for bytes.
      wakeUp(toServer);
      wakeUp(toClient);
    }
  }

  private static void wakeUp(BlockingQueue<Chunk> queue) {
    queue.clear();
    boolean unused = queue.offer(new Chunk(new byte[0], System.nanoTime()));
  }

  private static void close(Socket socket, boolean abruptly) {
    try (socket) {
      if (abruptly) {
        socket.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      // It is closed; that is all we want.
      return;
    }
  }
}
