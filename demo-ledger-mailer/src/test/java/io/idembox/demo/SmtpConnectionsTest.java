package io.idembox.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.idembox.effect.EffectException;
import io.idembox.effect.EffectNotPerformedException;
import io.idembox.effect.EffectRejectedException;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SmtpConnectionsTest {
  private ScriptedSmtpServer server;
  private SmtpConnections connections;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedSmtpServer();
    connections = new SmtpConnections(server.settings());
  }

  @AfterEach
  void stop() throws IOException {
    connections.close();
    server.close();
  }

  @Test
  void mailsThatFollowOneAnotherShareAConnection() throws Exception {
    connections.send(mail());
    connections.send(mail());
    connections.send(mail());

    assertThat(server.mails()).isEqualTo(3);
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void aConnectionThatDiedIdleIsReplaced() throws Exception {
    connections.send(mail());
    server.answer("NOOP", ScriptedSmtpServer.HANG_UP);

    connections.send(mail());

    assertThat(server.mails()).isEqualTo(2);
    assertThat(server.connections()).isEqualTo(2);
  }

  @Test
  void aServerThatIsNotThereMeansNotPerformed() throws Exception {
    server.close();

    assertThatThrownBy(() -> connections.send(mail()))
        .isInstanceOf(EffectNotPerformedException.class)
        .hasMessageContaining("127.0.0.1:" + server.settings().smtpPort());
  }

  @Test
  void aRecipientRefusedForGoodMeansRejected() {
    server.answer("RCPT", "550 no such user here");

    assertThatThrownBy(() -> connections.send(mail()))
        .isInstanceOf(EffectRejectedException.class)
        .hasMessageContaining("customer@test.example")
        .hasMessageContaining("no such user here");
    assertThat(server.mails()).isZero();
  }

  @Test
  void aRecipientPutOffMeansNotPerformed() {
    server.answer("RCPT", "451 greylisted, come back");

    assertThatThrownBy(() -> connections.send(mail()))
        .isInstanceOf(EffectNotPerformedException.class);
    assertThat(server.mails()).isZero();
  }

  @Test
  void aSenderRefusedMeansNotPerformedSinceTheMailMayBeFine() {
    server.answer("MAIL", "530 log in first");

    assertThatThrownBy(() -> connections.send(mail()))
        .isInstanceOf(EffectNotPerformedException.class)
        .hasMessageContaining("log in first");
  }

  @Test
  void aMailNotTakenAtItsEndMeansNotPerformed() {
    server.answer(ScriptedSmtpServer.END_OF_DATA, "452 disk full");

    assertThatThrownBy(() -> connections.send(mail()))
        .isInstanceOf(EffectNotPerformedException.class);
  }

  @Test
  void aHangUpAfterTheMailLeavesTheOutcomeUnknown() {
    server.answer(ScriptedSmtpServer.END_OF_DATA, ScriptedSmtpServer.HANG_UP);

    Throwable failure = catchThrowable(() -> connections.send(mail()));

    assertThat(failure).isInstanceOf(MessagingException.class);
    assertThat(failure).isNotInstanceOf(EffectException.class);
    assertThat(server.mails()).isEqualTo(1);
  }

  @Test
  void aFailedConnectionIsNotUsedAgain() throws Exception {
    server.answer("RCPT", "451 greylisted, come back");
    assertThatThrownBy(() -> connections.send(mail()))
        .isInstanceOf(EffectNotPerformedException.class);
    server.answer("RCPT", "250 OK");

    connections.send(mail());

    assertThat(server.mails()).isEqualTo(1);
    assertThat(server.connections()).isEqualTo(2);
  }

  private MimeMessage mail() throws MessagingException {
    MimeMessage message = new MimeMessage(connections.session());
    message.setFrom("sender@test.example");
    message.setRecipients(RecipientType.TO, "customer@test.example");
    message.setText("text");
    message.saveChanges();
    return message;
  }
}
