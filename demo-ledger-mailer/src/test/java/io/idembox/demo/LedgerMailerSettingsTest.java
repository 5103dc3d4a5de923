package io.idembox.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerMailerSettingsTest {
  private static final LedgerMailerSettings SETTINGS =
      new LedgerMailerSettings(
          "127.0.0.1:9092",
          "jdbc:postgresql://127.0.0.1:5432/demo?user=me&password=pg-secret",
          "redis://:redis-secret@127.0.0.1:6379",
          new MailSettings("127.0.0.1", 25, 143, "archive@test.example", "mail-secret"),
          Path.of("batches.log"));

  @TempDir Path folder;

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    assertThat(LedgerMailerSettings.read(file(SETTINGS.toProperties()))).isEqualTo(SETTINGS);
  }

  @Test
  void aMissingSettingIsNamed() throws IOException {
    Properties properties = SETTINGS.toProperties();
    properties.remove("redis.uri");
    Path file = file(properties);

    assertThatThrownBy(() -> LedgerMailerSettings.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redis.uri")
        .hasMessageContaining(file.toString());
  }

  @Test
  void aPortThatIsNoneIsNamedWithItsRule() throws IOException {
    Properties properties = SETTINGS.toProperties();
    properties.setProperty("mail.smtp.port", "99999");
    Path file = file(properties);

    assertThatThrownBy(() -> LedgerMailerSettings.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mail.smtp.port")
        .hasMessageContaining("99999")
        .hasMessageContaining("1 to 65535");
  }

  @Test
  void noPasswordIsPrinted() {
    assertThat(SETTINGS.toString()).doesNotContain("secret");
  }

  private Path file(Properties properties) throws IOException {
    Path file = folder.resolve("consumer.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
    return file;
  }
}
