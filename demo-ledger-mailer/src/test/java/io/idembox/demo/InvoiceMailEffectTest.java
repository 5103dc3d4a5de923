package io.idembox.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectException;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.effect.Resolution;
import io.idembox.effect.ResolvableEffect;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The effect behind a guard, against a real SMTP and IMAP server. */
class InvoiceMailEffectTest {
  private static final String ARCHIVE = "archive@test.example";
  private static final InvoiceMail MAIL =
      new InvoiceMail("order-9", "customer@test.example", new BigDecimal("12.50"));
  private static final EffectKey KEY = EffectKey.of("mail.invoice").id("order-9");

  private GreenMail server;
  private InvoiceMailEffect effect;
  private EffectGuard guard;

  @BeforeEach
  void start() {
    server =
        new GreenMail(
            new ServerSetup[] {ServerSetup.SMTP.dynamicPort(), ServerSetup.IMAP.dynamicPort()});
    server.setUser(ARCHIVE, ARCHIVE, "secret");
    server.start();
    effect =
        new InvoiceMailEffect(
            new MailSettings(
                "127.0.0.1",
                server.getSmtp().getPort(),
                server.getImap().getPort(),
                ARCHIVE,
                "secret"));
    guard = EffectGuard.builder(new InMemoryEffectStore()).namespace("test").build();
  }

  @AfterEach
  void stop() {
    guard.close();
    effect.close();
    server.stop();
  }

  @Test
  void theInvoiceReachesTheCustomerWithAnIdThatTheReceiptNames() throws Exception {
    MailReceipt receipt = guard.once(effect, KEY, MAIL);

    MimeMessage mail = customersMails().get(0);
    assertThat(receipt.messageId()).isEqualTo(mail.getMessageID());
    assertThat(mail.getHeader(InvoiceMailEffect.ORDER_HEADER)).containsExactly("order-9");
    assertThat(mail.getContent().toString()).contains("12.50", "order-9");
  }

  @Test
  void theSameKeyAgainSendsNoSecondMailAndGivesTheSameReceipt() {
    MailReceipt first = guard.once(effect, KEY, MAIL);
    MailReceipt second = guard.once(effect, KEY, MAIL);

    assertThat(second).isEqualTo(first);
    assertThat(customersMails()).hasSize(1);
  }

  @Test
  void aMailWhoseAnswerWasLostIsFoundInTheArchiveAndNotSentAgain() {
    assertThatThrownBy(() -> guard.once(failing(After.SEND), KEY, MAIL))
        .isInstanceOf(EffectException.class);

    MailReceipt receipt = guard.once(effect, KEY, MAIL);

    assertThat(receipt.messageId()).endsWith("@ledger-mailer.example>");
    assertThat(customersMails()).hasSize(1);
  }

  @Test
  void aMailThatNeverLeftIsNotInTheArchiveAndIsSent() {
    assertThatThrownBy(() -> guard.once(failing(After.NOTHING), KEY, MAIL))
        .isInstanceOf(EffectException.class);

    guard.once(effect, KEY, MAIL);

    assertThat(customersMails()).hasSize(1);
  }

  @Test
  void anArchiveThatCannotBeAskedLeavesTheOutcomeUnknown() {
    assertThatThrownBy(() -> guard.once(failing(After.SEND), KEY, MAIL))
        .isInstanceOf(EffectException.class);
    server.getImap().stopService();

    assertThatThrownBy(() -> guard.once(effect, KEY, MAIL)).isInstanceOf(EffectException.class);
    assertThat(customersMails()).hasSize(1);
  }

  private List<MimeMessage> customersMails() {
    return server
        .findReceivedMessages(user -> !user.getEmail().equals(ARCHIVE), message -> true)
        .toList();
  }

  private enum After {
    NOTHING,
    SEND
  }

  /** The effect as it looks when the process loses its connection before or after the send. */
  private Effect<InvoiceMail, MailReceipt> failing(After after) {
    return new ResolvableEffect<>() {
      @Override
      public EffectName<InvoiceMail, MailReceipt> name() {
        return effect.name();
      }

      @Override
      public EffectPolicy policy() {
        return effect.policy().toBuilder().maxAttempts(1).build();
      }

      @Override
      public MailReceipt perform(InvoiceMail mail, EffectAttempt attempt) throws Exception {
        if (after == After.SEND) {
          effect.perform(mail, attempt);
        }
        throw new IOException("connection reset");
      }

      @Override
      public Resolution<MailReceipt> resolve(InvoiceMail mail, EffectAttempt attempt) {
        return Resolution.stillUnknown("connection reset");
      }
    };
  }
}
