package io.idembox.demo.lab;

import io.idembox.demo.InvoiceMail;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.demo.MailReceipt;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.RedisEffectStore;
import io.idembox.effect.Resolution;
import io.idembox.effect.ResolvableEffect;
import io.idembox.effect.SecondCaller;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A worker that was given a job which another one has too. */
final class JobCaller {
  private static final Duration LOOK_EVERY = Duration.ofMillis(20);
  private static final Duration REQUEUE = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final InvoiceMail JOB =
      new InvoiceMail("order-9", "ann@shop.example", new BigDecimal("9.00"));

  private JobCaller() {}

  /**
   * Does the job, once the lab says go.
   *
   * @param args the settings file; {@code plain}, {@code wait} or {@code fail}; the file whose
   *     appearance says go; for one that stands still in its sending, the file whose appearance
   *     ends that
   */
  public static void main(String[] args) throws Exception {
    LedgerMailerSettings settings = LedgerMailerSettings.read(Path.of(args[0]));
    Path go = Path.of(args[2]);
    Path hold = args.length > 3 ? Path.of(args[3]) : null;
    if (args[1].equals("plain")) {
      try (PlainMailer mailer = new PlainMailer(settings.mail())) {
        ready(go);
        standStill(hold);
        LabLines.say("receipt " + mailer.send(JOB));
      }
      return;
    }
    SecondCaller second =
        args[1].equals("wait") ? SecondCaller.waitFor(PATIENCE) : SecondCaller.fail();
    try (RedisEffectStore store = RedisEffectStore.connect(settings.redisUri());
        EffectGuard guard = EffectGuard.builder(store).namespace("lab2-" + args[1]).build();
        InvoiceMailEffect mail = new InvoiceMailEffect(settings.mail())) {
      ready(go);
      call(guard, new Held(mail, second, hold));
    }
  }

  private static void ready(Path go) throws InterruptedException {
    LabLines.say("ready");
    await(go);
  }

  private static void standStill(@Nullable Path hold) throws InterruptedException {
    if (hold != null) {
      LabLines.say("sending");
      await(hold);
    }
  }

  private static void await(Path file) throws InterruptedException {
    while (!Files.exists(file)) {
      Thread.sleep(LOOK_EVERY.toMillis());
    }
  }

  private static void call(EffectGuard guard, Held mail) throws InterruptedException {
    EffectKey key = EffectKey.of("mail.invoice").id(JOB.orderId());
    while (true) {
      LabLines.say("calling");
      EffectOutcome<MailReceipt> outcome = guard.tryOnce(mail, key, JOB);
      switch (outcome.kind()) {
        case PERFORMED, REPLAYED -> {
          LabLines.say("receipt " + receipt(outcome));
          return;
        }
        case IN_PROGRESS -> {
          // A queue would deliver it again after a while.
          LabLines.say("in progress, requeue");
          Thread.sleep(REQUEUE.toMillis());
        }
        default -> throw new IllegalStateException("unexpected: " + outcome);
      }
    }
  }

  private static String receipt(EffectOutcome<MailReceipt> outcome) {
    MailReceipt receipt =
        outcome instanceof EffectOutcome.Performed<MailReceipt> performed
            ? performed.receipt().value()
            : ((EffectOutcome.Replayed<MailReceipt>) outcome).receipt().value();
    return String.valueOf(receipt);
  }

  /** The demo's mail, with another policy for the second caller, and slow where it is told so. */
  private record Held(InvoiceMailEffect mail, SecondCaller second, @Nullable Path hold)
      implements ResolvableEffect<InvoiceMail, MailReceipt> {
    @Override
    public EffectName<InvoiceMail, MailReceipt> name() {
      return mail.name();
    }

    @Override
    public EffectPolicy policy() {
      return mail.policy().toBuilder().secondCaller(second).build();
    }

    @Override
    public MailReceipt perform(InvoiceMail request, EffectAttempt attempt) throws Exception {
      standStill(hold);
      return mail.perform(request, attempt);
    }

    @Override
    public Resolution<MailReceipt> resolve(InvoiceMail request, EffectAttempt attempt) {
      return mail.resolve(request, attempt);
    }
  }
}
