package io.idembox.demo;

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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An SMTP server that answers what a test wants: a command's answer can be set, or be a hang-up.
 */
final class ScriptedSmtpServer implements AutoCloseable {

  /** As an answer: the connection is closed instead. */
  static final String HANG_UP = "";

  /** As a command: the end of a mail's content. */
  static final String END_OF_DATA = ".";

  private final ServerSocket socket;
  private final Thread acceptor;
  private final Map<String, String> answers =
      new ConcurrentHashMap<>(
          Map.of(
              "EHLO",
              "250 here",
              "NOOP",
              "250 OK",
              "MAIL",
              "250 OK",
              "RCPT",
              "250 OK",
              "RSET",
              "250 OK",
              "DATA",
              "354 go on",
              END_OF_DATA,
              "250 taken",
              "QUIT",
              "221 bye"));
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger mails = new AtomicInteger();

  ScriptedSmtpServer() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    acceptor = new Thread(this::accept, "scripted-smtp");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  ScriptedSmtpServer answer(String command, String reply) {
    answers.put(command, reply);
    return this;
  }

  MailSettings settings() {
    return new MailSettings("127.0.0.1", socket.getLocalPort(), 1, "archive@test.example", "");
  }

  int connections() {
    return connections.get();
  }

  /** Mails whose content came to its end. */
  int mails() {
    return mails.get();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        connections.incrementAndGet();
        Thread session = new Thread(() -> serve(client), "scripted-smtp-session");
        session.setDaemon(true);
        session.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
      say(client, "220 ready");
      String line;
      while ((line = in.readLine()) != null) {
        if (!reply(client, in, line)) {
          return;
        }
      }
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }

  /** Answers one command; false when the connection is to be closed. */
  private boolean reply(Socket client, BufferedReader in, String line) throws IOException {
    String command = line.split(" ", 2)[0].toUpperCase(Locale.ROOT);
    String reply = answers.getOrDefault(command, "502 unknown");
    if (reply.equals(HANG_UP)) {
      return false;
    }
    say(client, reply);
    if (!command.equals("DATA")) {
      return !command.equals("QUIT");
    }
    String content;
    while ((content = in.readLine()) != null) {
      if (content.equals(END_OF_DATA)) {
        mails.incrementAndGet();
        String end = answers.getOrDefault(END_OF_DATA, HANG_UP);
        if (end.equals(HANG_UP)) {
          return false;
        }
        say(client, end);
        return true;
      }
    }
    return false;
  }

  private static void say(Socket client, String reply) throws IOException {
    OutputStream out = client.getOutputStream();
    out.write((reply + "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  /** Afterwards connections are refused; those that are open live on. */
  @Override
  public void close() throws IOException {
    socket.close();
    try {
      // Until the accepting thread is out of its system call, the system still takes connections.
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
