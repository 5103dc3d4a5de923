package io.idembox.demo;

import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.EffectRejectedException;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;

/** What a failed send means. Only a reply of the server proves that no mail went out. */
final class SmtpAnswer {
  private SmtpAnswer() {}

  /**
   * The exception to throw for a failed send.
   *
   * <ul>
   *   <li>A recipient refused with 5xx: the mail can never be delivered, {@link
   *       EffectRejectedException}.
   *   <li>Any other 4xx or 5xx (greylisting, a full disk, a login that is missing): nothing was
   *       sent and a later attempt may do better, {@link EffectNotPerformedException}.
   *   <li>No reply: the failure as it is. The outcome is unknown.
   * </ul>
   */
  static Exception meaningOf(SendFailedException failure) {
    boolean answered = false;
    for (Throwable at = failure; at != null; at = at.getCause()) {
      int code = replyCode(at);
      if (at instanceof SMTPAddressFailedException refused && code >= 500) {
        return new EffectRejectedException(
            "recipient " + refused.getAddress() + " refused: " + oneLine(refused), failure);
      }
      answered |= code >= 400;
    }
    return answered ? new EffectNotPerformedException(oneLine(failure), failure) : failure;
  }

  private static int replyCode(Throwable failure) {
    if (failure instanceof SMTPAddressFailedException address) {
      return address.getReturnCode();
    }
    if (failure instanceof SMTPSenderFailedException sender) {
      return sender.getReturnCode();
    }
    return failure instanceof SMTPSendFailedException send ? send.getReturnCode() : -1;
  }

  private static String oneLine(MessagingException failure) {
    return String.valueOf(failure.getMessage()).strip().replaceAll("\\s+", " ");
  }
}
