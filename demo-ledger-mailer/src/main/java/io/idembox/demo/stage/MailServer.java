package io.idembox.demo.stage;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.MailSettings;
import jakarta.mail.Address;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The mail server of a run: SMTP and IMAP in this process, out of reach of what kills the consumer.
 * Thread-safe.
 */
public final class MailServer implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final String ARCHIVE = "archive@ledger-mailer.example";
  private static final String ARCHIVE_PASSWORD = "archive";

  private final GreenMail greenMail =
      new GreenMail(
          new ServerSetup[] {
            new ServerSetup(0, HOST, ServerSetup.PROTOCOL_SMTP),
            new ServerSetup(0, HOST, ServerSetup.PROTOCOL_IMAP)
          });
  private final AtomicInteger arrived = new AtomicInteger();
  private final ConcurrentSkipListMap<Integer, Runnable> triggers = new ConcurrentSkipListMap<>();

  private MailServer() {}

  /** An invoice as a customer finds it. */
  public record Received(String orderId, String recipient, String text) {}

  /** Starts it on free ports. */
  public static MailServer start() {
    MailServer server = new MailServer();
    server.greenMail.setUser(ARCHIVE, ARCHIVE, ARCHIVE_PASSWORD);
    server.greenMail.start();
    server.interceptDeliveries();
    return server;
  }

  /** How it is reached. */
  public MailSettings settings() {
    return new MailSettings(
        HOST,
        greenMail.getSmtp().getPort(),
        greenMail.getImap().getPort(),
        ARCHIVE,
        ARCHIVE_PASSWORD);
  }

  /** Mails that have arrived, copies for the archive not counted. */
  public int arrived() {
    return arrived.get();
  }

  /**
   * Runs the action when that many mails have arrived: on the thread that takes the mail, after its
   * last byte and before the sender's answer. So a sender that the action kills has sent its mail
   * and never learns it.
   */
  public void whenArrived(int mails, Runnable action) {
    triggers.put(mails, action);
  }

  private void interceptDeliveries() {
    var users = greenMail.getUserManager();
    users.setMessageDeliveryHandler(
        (message, address) -> {
          var user = users.getUserByEmail(address.getEmail());
          if (user == null) {
            user = users.createUser(address.getEmail(), address.getEmail(), address.getEmail());
          }
          if (!address.getEmail().toLowerCase(Locale.ROOT).equals(ARCHIVE)) {
            Runnable action = triggers.remove(arrived.incrementAndGet());
            if (action != null) {
              action.run();
            }
          }
          return user;
        });
  }

  /**
   * All invoices in the customers' mailboxes.
   *
   * @throws MessagingException if one cannot be read
   */
  public List<Received> received() throws MessagingException {
    List<Received> mails = new ArrayList<>();
    List<MimeMessage> messages =
        greenMail
            .findReceivedMessages(user -> !user.getEmail().equals(ARCHIVE), message -> true)
            .toList();
    for (MimeMessage message : messages) {
      mails.add(read(message));
    }
    return mails;
  }

  private static Received read(MimeMessage message) throws MessagingException {
    String orderId = message.getHeader(InvoiceMailEffect.ORDER_HEADER, ",");
    Address[] to = message.getRecipients(Message.RecipientType.TO);
    try {
      return new Received(
          String.valueOf(orderId),
          to == null || to.length != 1 ? "" : to[0].toString(),
          String.valueOf(message.getContent()).strip());
    } catch (IOException failure) {
      throw new MessagingException("mail of " + orderId + " cannot be read", failure);
    }
  }

  @Override
  public void close() {
    greenMail.stop();
  }
}
