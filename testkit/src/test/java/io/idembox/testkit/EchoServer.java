package io.idembox.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers each line with itself, and remembers it. */
final class EchoServer implements AutoCloseable {
  private final ServerSocket listener;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  EchoServer() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** The lines that have arrived, on all connections. */
  List<String> lines() {
    return lines;
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "echo");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        start(() -> echo(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void echo(Socket socket) {
    try (socket) {
      var in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      OutputStream out = socket.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      // The client has gone; so has this thread.
      return;
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client of it. */
  static final class Client implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;
    private final OutputStream out;

    Client(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(10_000);
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      out = socket.getOutputStream();
    }

    void send(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The next line; null at the end of the stream. */
    String readLine() throws IOException {
      return in.readLine();
    }

    String ask(String line) throws IOException {
      send(line + "\n");
      return readLine();
    }

    void timeout(int millis) throws IOException {
      socket.setSoTimeout(millis);
    }

    void endOutput() throws IOException {
      socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
