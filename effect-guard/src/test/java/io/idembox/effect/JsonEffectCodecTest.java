package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonEffectCodecTest {
  private final JsonEffectCodec codec = new JsonEffectCodec();

  @ReceiptType(value = "invoice", version = 2)
  record Versioned(String id, Instant at) {}

  record Before(String id, String removed) {}

  record WithOptional(String id, String added) {}

  record WithPrimitive(String id, int required) {}

  record Strict(String id, String required) {
    Strict {
      if (required == null) {
        throw new IllegalArgumentException("required is missing");
      }
    }
  }

  @Test
  void aReceiptComesBackAsItWas() throws Exception {
    Versioned receipt = new Versioned("m-1", Instant.parse("2026-01-01T00:00:00Z"));
    byte[] bytes = codec.encode(receipt);

    assertThat(codec.decode(bytes, Versioned.class)).isEqualTo(receipt);
    assertThat(new String(bytes, StandardCharsets.UTF_8))
        .contains("invoice")
        .doesNotContain("idembox");
  }

  @Test
  void nullTakesOneByteAndIsAValue() throws Exception {
    assertThat(codec.encode(null)).hasSize(1);
    assertThat(codec.decode(codec.encode(null), String.class)).isNull();
  }

  /** Case C48 (b): what an older class wrote is read by rule, or refused with both types' names. */
  @Test
  void anOlderClassIsReadByRuleOrRefusedWithBothNames() throws Exception {
    byte[] old = codec.encode(new Before("m-1", "gone"));

    assertThat(codec.decode(old, WithOptional.class)).isEqualTo(new WithOptional("m-1", null));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> codec.decode(old, WithPrimitive.class))
        .withMessageContaining("JsonEffectCodecTest$Before")
        .withMessageContaining("version 1");
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> codec.decode(old, Strict.class));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () -> codec.decode(codec.encode(new Versioned("m-1", Instant.EPOCH)), Integer.class))
        .withMessageContaining("'invoice' version 2");
  }

  @Test
  void theErrorAboutAReceiptDoesNotQuoteIt() throws Exception {
    byte[] secret = codec.encode(new Before("secret-4711", "secret-4711"));

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> codec.decode(secret, Integer.class))
        .matches(e -> !e.getMessage().contains("4711"));
  }

  @Test
  void bytesThatAreNoReceiptAreRefused() {
    for (byte[] bytes : new byte[][] {{}, {9}, {'x', 'x'}, {1, 1, 5, 'a'}, {1, 1, -1}}) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> codec.decode(bytes, String.class));
    }
  }

  @Test
  void equalRequestsCompareEqualWhateverTheOrderOfTheirMaps() throws Exception {
    Map<String, Integer> one = new LinkedHashMap<>();
    one.put("a", 1);
    one.put("b", 2);
    Map<String, Integer> other = new LinkedHashMap<>();
    other.put("b", 2);
    other.put("a", 1);

    assertThat(codec.comparable(one)).isEqualTo(codec.comparable(other));
  }

  @Test
  void arraysAndNestedClassesHaveNamesToo() throws Exception {
    assertThat(codec.decode(codec.encode(new byte[] {1, 2}), byte[].class)).containsExactly(1, 2);
    assertThat(codec.decode(codec.encode(new String[] {"a"}), String[].class)).containsExactly("a");
  }
}
