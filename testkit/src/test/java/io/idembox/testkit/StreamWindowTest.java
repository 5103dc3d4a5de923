package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class StreamWindowTest {
  private final StreamWindow window = new StreamWindow();

  @Test
  void aTextIsFoundOnceItIsComplete() {
    assertThat(found("xxCOM", "COMMIT")).isFalse();
    assertThat(found("MI", "COMMIT")).isFalse();
    assertThat(found("Tyy", "COMMIT")).isTrue();
    assertThat(found("zz", "COMMIT")).isFalse();
  }

  @Test
  void aTextWithinOneChunkIsFound() {
    assertThat(found("begin COMMIT end", "COMMIT")).isTrue();
    assertThat(found("COMMIT", "COMMIT")).isTrue();
  }

  @Test
  void whatWasForgottenDoesNotCount() {
    assertThat(found("COM", "COMMIT")).isFalse();
    window.clear();
    assertThat(found("MIT", "COMMIT")).isFalse();
  }

  private boolean found(String chunk, String text) {
    window.add(chunk.getBytes(StandardCharsets.ISO_8859_1));
    return window.justCompleted(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
