package io.idembox.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * One connection that speaks just enough of the Redis protocol to give a command and read the reply
 * as text, so that the test kit forces no Redis client on its users.
 */
final class RespConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private final OutputStream out;

  RespConnection(String host, int port) throws IOException {
    try {
      socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      in = new BufferedInputStream(socket.getInputStream());
      out = new BufferedOutputStream(socket.getOutputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Sends one command and waits for the reply; arrays are joined by line breaks, nil is empty.
   *
   * @throws TestkitException if Redis answers with an error
   */
  String command(String... words) throws IOException {
    out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      out.write(bytes);
      out.write("\r\n".getBytes(StandardCharsets.UTF_8));
    }
    out.flush();
    return reply();
  }

  private String reply() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+', ':' -> rest;
      case '-' -> throw new TestkitException("Redis answered: " + rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      default -> throw new IOException("Not a Redis reply: " + line);
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("Redis closed the connection in a reply");
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private String array(int size) throws IOException {
    StringJoiner joined = new StringJoiner("\n");
    for (int i = 0; i < size; i++) {
      joined.add(reply());
    }
    return joined.toString();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("Redis closed the connection");
      }
      line.append((char) b);
    }
    if (line.length() < 2) {
      throw new IOException("Not a Redis reply: " + line);
    }
    line.setLength(line.length() - 1);
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
