package io.idembox.effect;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A server that answers PING, and everything else with one error. */
final class RespStub implements AutoCloseable {
  private final ServerSocket server;
  private final String error;
  private volatile boolean info;

  RespStub(String error) throws IOException {
    this.error = error;
    this.server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::accept, "resp-stub");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  /** INFO tells a version, so that clients connect. */
  void answerInfo() {
    info = true;
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread connection = new Thread(() -> serve(socket), "resp-stub-connection");
        connection.setDaemon(true);
        connection.start();
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        OutputStream out = socket.getOutputStream()) {
      for (String header = in.readLine(); header != null; header = in.readLine()) {
        int count = Integer.parseInt(header.substring(1));
        String command = "";
        for (int i = 0; i < count; i++) {
          int length = Integer.parseInt(in.readLine().substring(1));
          char[] word = new char[length + 2];
          for (int read = 0; read < word.length; ) {
            read += in.read(word, read, word.length - read);
          }
          command = i == 0 ? new String(word, 0, length).toUpperCase(Locale.ROOT) : command;
        }
        out.write((answer(command) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      }
    } catch (IOException closed) {
      // The client has gone.
    }
  }

  private String answer(String command) {
    return switch (command) {
      case "PING" -> "+PONG";
      case "HELLO" -> "-ERR unknown command 'HELLO'";
      case "CLIENT" -> "+OK";
      case "INFO" -> info ? "$19\r\nredis_version:7.0.0" : error;
      default -> error;
    };
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
