package io.idembox.effect.example;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectInDoubtException;
import io.idembox.effect.EffectInProgressException;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.EffectRejectedException;
import io.idembox.effect.EffectStoreException;
import io.idembox.effect.RedisEffectStore;
import java.util.concurrent.BlockingQueue;

/** The worker of the README: jobs come at least once, mails go out once. */
final class InvoiceWorker {
  record Job(String order, String to) {}

  record Mail(String to) {}

  record Sent(String messageId) {}

  /** What sends mails; throws if it was not reached, was refused, or nobody knows. */
  interface Mailer {
    String send(String to, String messageId) throws Exception;

    final class NotConnected extends Exception {
      private static final long serialVersionUID = 1L;
    }

    final class NoSuchMailbox extends Exception {
      private static final long serialVersionUID = 1L;
    }
  }

  static final class InvoiceMail implements Effect<Mail, Sent> {
    private final Mailer mailer;

    InvoiceMail(Mailer mailer) {
      this.mailer = mailer;
    }

    @Override
    public EffectName<Mail, Sent> name() {
      return EffectName.of("invoice-mail", Mail.class, Sent.class);
    }

    @Override
    public Sent perform(Mail mail, EffectAttempt attempt) throws Exception {
      try {
        return new Sent(mailer.send(mail.to(), attempt.providerKey()));
      } catch (Mailer.NotConnected e) {
        throw new EffectNotPerformedException("no connection", e); // surely not sent: try again
      } catch (Mailer.NoSuchMailbox e) {
        throw new EffectRejectedException("no such mailbox"); // surely never: remember that
      } // anything else: nobody knows, and the policy decides
    }
  }

  private final BlockingQueue<Job> queue;
  private final EffectGuard guard;
  private final InvoiceMail mail;

  InvoiceWorker(BlockingQueue<Job> queue, EffectGuard guard, InvoiceMail mail) {
    this.queue = queue;
    this.guard = guard;
    this.mail = mail;
  }

  /**
   * Takes one job; puts it back if it is not done. The same order may come again, from anywhere, at
   * any time.
   */
  void workOnce() throws InterruptedException {
    Job job = queue.take();
    EffectKey key = EffectKey.of("mail.invoice").id(job.order());
    try {
      Sent sent = guard.once(mail, key, new Mail(job.to()));
      System.out.println(key + " is out as " + sent.messageId()); // by this run or an earlier one
    } catch (EffectRejectedException e) {
      System.out.println(e.getMessage());
    } catch (EffectInProgressException
        | EffectNotPerformedException
        | EffectInDoubtException
        | EffectStoreException e) {
      queue.put(job); // later
    }
  }

  static EffectGuard guard(RedisEffectStore redis) {
    return EffectGuard.builder(redis).namespace("billing").build();
  }
}
