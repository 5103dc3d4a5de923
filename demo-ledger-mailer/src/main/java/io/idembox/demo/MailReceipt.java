package io.idembox.demo;

/**
 * What is kept of a mail that was sent.
 *
 * @param messageId its Message-ID, angle brackets included
 */
public record MailReceipt(String messageId) {}
