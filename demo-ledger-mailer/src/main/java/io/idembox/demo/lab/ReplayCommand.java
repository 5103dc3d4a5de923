package io.idembox.demo.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.MailSettings;
import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.demo.stage.WorkerProcess;
import io.idembox.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/** The command {@code idembox replay} of the standalone service, in a process of its own. */
final class ReplayCommand {

  // By name: the demo is compiled against the libraries alone, and starts the service as a program.
  private static final String PROGRAM = "io.idembox.service.Idembox";

  private ReplayCommand() {}

  /**
   * Replays a whole topic.
   *
   * @param copyOf the topic that it is a copy of
   * @return the command's answer
   * @throws DemoFailure if the command refuses or fails
   */
  static JsonNode run(Workplace place, String topic, String copyOf)
      throws DemoFailure, StoppedException, InterruptedException, SQLException, IOException {
    Path config = Files.writeString(place.file(".yaml"), config(place, topic, copyOf));
    Path log = place.file("-replay.log");
    JavaProcess.Builder program =
        JavaProcess.builder(PROGRAM)
            .jvmArgs("-Xmx512m", "-Dlogback.configurationFile=logback-demo.xml")
            // Ids are looked for where they stood in the old topic: another rule than before.
            .args(
                "replay",
                "--config",
                config.toAbsolutePath().toString(),
                "--accept-resolver-change",
                "--json");
    try (WorkerProcess replay = WorkerProcess.start("idembox replay", program, log)) {
      place.awaitEnd(replay);
    }
    // What it says beside its answer, such as its progress, stands on lines before it.
    String output = Files.readString(log);
    int answer = output.startsWith("{") ? 0 : output.indexOf("\n{");
    try {
      return new JsonMapper().readTree(output.substring(Math.max(0, answer)));
    } catch (JsonProcessingException notJson) {
      throw new DemoFailure("the answer of idembox replay in " + log + " is not JSON", notJson);
    }
  }

  private static String config(Workplace place, String topic, String copyOf) {
    MailSettings mail = place.settings().mail();
    return """
    consumer:
      name: %s
    kafka:
      bootstrap.servers: %s
    message-id:
      copy-of: %s
    postgres:
      url: %s
      user: %s
      password: %s
    redis:
      uri: %s
    effects:
      - class: %s
        config: {host: %s, smtpPort: %d, imapPort: %d, archiveAddress: '%s', archivePassword: '%s'}
    subscriptions:
      - topics: [%s]
        handler: %s
    """
        .formatted(
            MigrationConsumer.NAME,
            place.settings().bootstrapServers(),
            copyOf,
            place.jdbcAddress(),
            place.databaseUser(),
            place.databasePassword(),
            place.settings().redisUri(),
            InvoiceMailEffect.class.getName(),
            mail.host(),
            mail.smtpPort(),
            mail.imapPort(),
            mail.archiveAddress(),
            mail.archivePassword(),
            topic,
            LedgerEventHandler.class.getName());
  }
}
