package io.idembox.demo;

import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.EffectRejectedException;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.MimeMessage;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * SMTP connections that are kept open between mails: a connection a mail would cost more than the
 * mail. A thread takes an idle connection or opens one, so there are never more than threads that
 * send. Thread-safe.
 */
final class SmtpConnections implements AutoCloseable {
  private static final String TIMEOUT_MS = "5000";

  private final MailSettings settings;
  private final Session session;
  private final ConcurrentLinkedDeque<Transport> idle = new ConcurrentLinkedDeque<>();

  SmtpConnections(MailSettings settings) {
    this.settings = settings;
    Properties properties = new Properties();
    properties.setProperty("mail.smtp.connectiontimeout", TIMEOUT_MS);
    properties.setProperty("mail.smtp.timeout", TIMEOUT_MS);
    properties.setProperty("mail.smtp.writetimeout", TIMEOUT_MS);
    // Said in HELO. Unset, each connection would look up the machine's own name.
    properties.setProperty("mail.smtp.localhost", "ledger-mailer.example");
    session = Session.getInstance(properties);
  }

  Session session() {
    return session;
  }

  /**
   * Sends one mail to all its recipients.
   *
   * @throws EffectNotPerformedException if the server cannot be reached, or answered that it did
   *     not take the mail
   * @throws EffectRejectedException if it refused a recipient for good
   * @throws Exception anything else: the answer was lost, and the mail may have been sent
   */
  void send(MimeMessage message) throws Exception {
    Transport transport = takeConnected();
    boolean reusable = false;
    try {
      transport.sendMessage(message, message.getAllRecipients());
      reusable = true;
    } catch (SendFailedException failure) {
      throw SmtpAnswer.meaningOf(failure);
    } finally {
      if (reusable) {
        idle.push(transport);
      } else {
        closeQuietly(transport);
      }
    }
  }

  private Transport takeConnected() {
    Transport transport;
    while ((transport = idle.poll()) != null) {
      // Asks the server (NOOP). A connection that died idle is thus seen before the mail is handed
      // over, where it is certain that nothing was sent.
      if (transport.isConnected()) {
        return transport;
      }
      closeQuietly(transport);
    }
    try {
      Transport fresh = session.getTransport("smtp");
      fresh.connect(settings.host(), settings.smtpPort(), null, null);
      return fresh;
    } catch (MessagingException failure) {
      throw new EffectNotPerformedException(
          "no SMTP connection to " + settings.host() + ":" + settings.smtpPort(), failure);
    }
  }

  /** Closes the idle connections. A mail that is being sent keeps its own until it has ended. */
  @Override
  public void close() {
    Transport transport;
    while ((transport = idle.poll()) != null) {
      closeQuietly(transport);
    }
  }

  private static void closeQuietly(Transport transport) {
    try {
      transport.close();
    } catch (MessagingException alreadyGone) {
      // Nothing depends on a polite goodbye.
    }
  }
}
