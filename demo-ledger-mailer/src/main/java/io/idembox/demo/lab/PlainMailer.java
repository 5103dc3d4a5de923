package io.idembox.demo.lab;

import io.idembox.demo.InvoiceMail;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.MailSettings;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.util.Properties;

/** Sends mails and remembers nothing. Not thread-safe. */
final class PlainMailer implements AutoCloseable {
  private final Session session;
  private final Transport transport;

  /**
   * Connects.
   *
   * @throws MessagingException if the server cannot be reached
   */
  PlainMailer(MailSettings settings) throws MessagingException {
    Properties properties = new Properties();
    properties.setProperty("mail.smtp.localhost", "plain.example");
    session = Session.getInstance(properties);
    transport = session.getTransport("smtp");
    transport.connect(settings.host(), settings.smtpPort(), null, null);
  }

  /**
   * Sends a mail under a new Message-ID, which is its receipt.
   *
   * @throws MessagingException if the server did not take it
   */
  String send(InvoiceMail mail) throws MessagingException {
    MimeMessage message = new MimeMessage(session);
    message.setFrom(new InternetAddress("invoices@ledger-mailer.example"));
    message.setRecipient(RecipientType.TO, new InternetAddress(mail.recipient()));
    message.setSubject("Invoice for " + mail.orderId());
    message.setHeader(InvoiceMailEffect.ORDER_HEADER, mail.orderId());
    message.setText(mail.text());
    message.saveChanges();
    transport.sendMessage(message, message.getAllRecipients());
    return message.getMessageID();
  }

  @Override
  public void close() throws MessagingException {
    transport.close();
  }
}
