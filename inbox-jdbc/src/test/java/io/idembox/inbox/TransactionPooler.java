package io.idembox.inbox;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * The least of a PostgreSQL pooler in transaction mode: a client has a server connection only while
 * it is in a transaction, and another one each time. Whatever a session keeps beyond that
 * (settings, locks, prepared statements) is found by the wrong client. For servers that trust the
 * loopback address.
 */
final class TransactionPooler implements AutoCloseable {
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;
  private static final int CANCEL_REQUEST = 80877102;

  private final ServerSocket listener;
  private final List<Server> idle = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore free;
  private final Random random = new Random(7);
  private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
  private byte[] greeting = {};

  TransactionPooler(int serverPort, String user, String database, int servers) throws IOException {
    for (int i = 0; i < servers; i++) {
      idle.add(new Server(serverPort, user, database));
    }
    free = new Semaphore(servers);
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "pooler");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Socket client = listener.accept();
        client.setTcpNoDelay(true);
        sockets.add(client);
        start(() -> serve(client));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket socket) {
    Server server = null;
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      if (!greet(in, out)) {
        return;
      }
      while (true) {
        int type = in.read();
        if (type < 0 || type == 'X') {
          return;
        }
        byte[] body = body(in);
        if (server == null) {
          server = take();
        }
        message(server.out, type, body);
        if (type == 'S' || type == 'Q') {
          server.out.flush();
          if (server.answer(out) == 'I') {
            giveBack(server);
            server = null;
          }
        }
      }
    } catch (IOException e) {
      // The client is gone, or the pooler.
    } finally {
      if (server != null) {
        rollBack(server);
      }
    }
  }

  /** A client that leaves in the middle of a transaction leaves it to nobody. */
  private void rollBack(Server server) {
    try {
      message(server.out, 'Q', "rollback\0".getBytes(StandardCharsets.UTF_8));
      server.out.flush();
      server.answer(new DataOutputStream(new ByteArrayOutputStream()));
      giveBack(server);
    } catch (IOException e) {
      // The pooler is closed.
    }
  }

  private boolean greet(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      int length = in.readInt();
      int code = in.readInt();
      in.readFully(new byte[length - 8]);
      if (code == SSL_REQUEST || code == GSS_REQUEST) {
        out.write('N');
        out.flush();
      } else if (code == CANCEL_REQUEST) {
        return false;
      } else {
        out.write(greeting);
        out.flush();
        return true;
      }
    }
  }

  private Server take() {
    free.acquireUninterruptibly();
    synchronized (idle) {
      return idle.remove(random.nextInt(idle.size()));
    }
  }

  private void giveBack(Server server) {
    idle.add(server);
    free.release();
  }

  private static byte[] body(DataInputStream in) throws IOException {
    byte[] body = new byte[in.readInt() - 4];
    in.readFully(body);
    return body;
  }

  private static void message(DataOutputStream out, int type, byte[] body) throws IOException {
    out.write(type);
    out.writeInt(body.length + 4);
    out.write(body);
  }

  /** One session on the server. */
  private final class Server {
    private final DataInputStream in;
    private final DataOutputStream out;

    Server(int port, String user, String database) throws IOException {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      sockets.add(socket);
      in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
      out = new DataOutputStream(new java.io.BufferedOutputStream(socket.getOutputStream()));
      ByteArrayOutputStream startup = new ByteArrayOutputStream();
      for (String word :
          new String[] {
            "user", user, "database", database, "client_encoding", "UTF8", "DateStyle", "ISO"
          }) {
        startup.writeBytes(word.getBytes(StandardCharsets.UTF_8));
        startup.write(0);
      }
      startup.write(0);
      out.writeInt(startup.size() + 8);
      out.writeInt(196608);
      out.write(startup.toByteArray());
      out.flush();
      ByteArrayOutputStream seen = new ByteArrayOutputStream();
      answer(new DataOutputStream(seen));
      greeting = seen.toByteArray();
    }

    /** Passes on what the server says until it is ready; answers with its transaction state. */
    char answer(DataOutputStream client) throws IOException {
      while (true) {
        int type = in.read();
        if (type < 0) {
          throw new UncheckedIOException(new IOException("The server has closed the session"));
        }
        byte[] body = body(in);
        message(client, type, body);
        if (type == 'Z') {
          client.flush();
          return (char) body[0];
        }
      }
    }
  }
}
