package io.idembox.demo;

import jakarta.mail.Folder;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Store;
import jakarta.mail.search.MessageIDTerm;
import java.util.Properties;

/**
 * The mailbox that holds a copy of each invoice, read by IMAP. Thread-safe: one connection a
 * look-up.
 */
final class MailArchive {
  private static final String TIMEOUT_MS = "5000";

  private final MailSettings settings;
  private final Session session;

  MailArchive(MailSettings settings) {
    this.settings = settings;
    Properties properties = new Properties();
    properties.setProperty("mail.imap.connectiontimeout", TIMEOUT_MS);
    properties.setProperty("mail.imap.timeout", TIMEOUT_MS);
    properties.setProperty("mail.imap.writetimeout", TIMEOUT_MS);
    session = Session.getInstance(properties);
  }

  /**
   * Whether a mail with this Message-ID was accepted by the server.
   *
   * @throws MessagingException if the mailbox cannot be asked: the answer is then not known
   */
  boolean contains(String messageId) throws MessagingException {
    try (Store store = session.getStore("imap")) {
      store.connect(
          settings.host(),
          settings.imapPort(),
          settings.archiveAddress(),
          settings.archivePassword());
      try (Folder inbox = store.getFolder("INBOX")) {
        inbox.open(Folder.READ_ONLY);
        return inbox.search(new MessageIDTerm(messageId)).length > 0;
      }
    }
  }
}
