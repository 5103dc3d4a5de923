package io.idembox.demo;

import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;
import io.idembox.effect.Resolution;
import io.idembox.effect.ResolvableEffect;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;

/**
 * Sends an invoice by SMTP. The mail's Message-ID is made from the provider key, which is the same
 * on every attempt. When an attempt ended without an answer (the process was killed, the connection
 * broke), {@link #resolve} looks that Message-ID up in the archive mailbox, which gets a blind copy
 * of each invoice within the same SMTP transaction.
 *
 * <p>Thread-safe.
 */
public final class InvoiceMailEffect
    implements ResolvableEffect<InvoiceMail, MailReceipt>, AutoCloseable {

  /** Names this effect in handlers and in the journal. */
  public static final EffectName<InvoiceMail, MailReceipt> INVOICE_MAIL =
      EffectName.of("invoice-mail", InvoiceMail.class, MailReceipt.class);

  /** A mail header that carries the order's id. */
  public static final String ORDER_HEADER = "X-Order-Id";

  // After a kill, the lease is what the next process waits for before it asks the archive; three
  // Redis time-outs, the shortest that is allowed. A send that takes longer renews it.
  private static final Duration LEASE = Duration.ofSeconds(6);

  private static final String SENDER = "invoices@ledger-mailer.example";

  private final MailSettings settings;
  private final SmtpConnections smtp;
  private final MailArchive archive;

  /** Opens no connection yet. */
  public InvoiceMailEffect(MailSettings settings) {
    this.settings = settings;
    smtp = new SmtpConnections(settings);
    archive = new MailArchive(settings);
  }

  @Override
  public EffectName<InvoiceMail, MailReceipt> name() {
    return INVOICE_MAIL;
  }

  @Override
  public EffectPolicy policy() {
    return EffectPolicy.builder().onUnknown(OnUnknown.RESOLVE).lease(LEASE).build();
  }

  @Override
  public MailReceipt perform(InvoiceMail mail, EffectAttempt attempt) throws Exception {
    String messageId = messageId(attempt);
    smtp.send(compose(mail, messageId));
    return new MailReceipt(messageId);
  }

  @Override
  public Resolution<MailReceipt> resolve(InvoiceMail mail, EffectAttempt attempt) {
    String messageId = messageId(attempt);
    try {
      return archive.contains(messageId)
          ? Resolution.happened(new MailReceipt(messageId))
          : Resolution.didNotHappen();
    } catch (MessagingException failure) {
      return Resolution.stillUnknown("archive mailbox not readable: " + failure.getMessage());
    }
  }

  /** Closes idle SMTP connections. */
  @Override
  public void close() {
    smtp.close();
  }

  private static String messageId(EffectAttempt attempt) {
    return "<" + attempt.providerKey() + "@ledger-mailer.example>";
  }

  private MimeMessage compose(InvoiceMail mail, String messageId) throws MessagingException {
    MimeMessage message = new MessageWithId(smtp.session(), messageId);
    message.setFrom(new InternetAddress(SENDER));
    message.setRecipient(RecipientType.TO, new InternetAddress(mail.recipient()));
    message.setRecipient(RecipientType.BCC, new InternetAddress(settings.archiveAddress()));
    message.setSubject("Invoice for " + mail.orderId());
    message.setHeader(ORDER_HEADER, mail.orderId());
    message.setText(mail.text());
    message.saveChanges();
    return message;
  }

  /** A message that keeps its id: {@code saveChanges} would put in a random one. */
  private static final class MessageWithId extends MimeMessage {
    private final String messageId;

    MessageWithId(Session session, String messageId) {
      super(session);
      this.messageId = messageId;
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", messageId);
    }
  }
}
