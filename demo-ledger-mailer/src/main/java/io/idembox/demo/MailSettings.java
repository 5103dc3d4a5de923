package io.idembox.demo;

import static java.util.Objects.requireNonNull;

/**
 * Where mail goes out and where sent mail can be looked up.
 *
 * @param host the mail server
 * @param smtpPort its SMTP port
 * @param imapPort its IMAP port
 * @param archiveAddress the address that gets a blind copy of each invoice; also the IMAP login
 * @param archivePassword the password of that mailbox
 */
public record MailSettings(
    String host, int smtpPort, int imapPort, String archiveAddress, String archivePassword) {

  /** Refuses settings with a part missing. */
  public MailSettings {
    requireNonNull(host, "host");
    requireNonNull(archiveAddress, "archiveAddress");
    requireNonNull(archivePassword, "archivePassword");
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "smtp " + host + ":" + smtpPort + ", imap " + host + ":" + imapPort;
  }
}
