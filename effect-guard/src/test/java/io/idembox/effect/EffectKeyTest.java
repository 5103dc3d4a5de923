package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EffectKeyTest {
  private static final EffectKey.Operation MAIL = EffectKey.of("mail.invoice");

  @Test
  void keysAreEqualWhenEveryPartIs() {
    assertThat(MAIL.tenant("acme").version(2).id("order", "9"))
        .isEqualTo(MAIL.version(2).tenant("acme").id("order", "9"));
    assertThat(MAIL.id(9)).isEqualTo(MAIL.id("9"));
    UUID id = UUID.fromString("0e8a7b54-2f2e-4b9b-9f0b-6d6f0c4f8a11");
    assertThat(MAIL.id(id)).isEqualTo(MAIL.id(id.toString()));
  }

  @Test
  void operationVersionTenantAndPartsAllCount() {
    List<EffectKey> keys =
        List.of(
            MAIL.id("9"),
            EffectKey.of("sms.invoice").id("9"),
            MAIL.version(2).id("9"),
            MAIL.tenant("acme").id("9"),
            MAIL.tenant("9").id("acme"),
            MAIL.id("9", "1"),
            MAIL.id("9 "),
            EffectKey.of("mail.invoice9").id("9"));

    assertDistinct(keys);
  }

  /** Case C40: without lengths in front, all of these would join to the same texts. */
  @Test
  void partsThatJoinToTheSameTextAreDifferentKeys() {
    assertDistinct(
        List.of(
            MAIL.id("a", "bc"),
            MAIL.id("ab", "c"),
            MAIL.id("a|b", "c"),
            MAIL.id("a", "b|c"),
            MAIL.id("org:x", "1"),
            MAIL.id("org", "x:1"),
            MAIL.id("a"),
            MAIL.id("a", "\u0000"),
            MAIL.id("a\u0000"),
            MAIL.id("\u0001a", "b"),
            MAIL.id("\u0001a\u0001b")));
  }

  private static void assertDistinct(List<EffectKey> keys) {
    Set<EffectKeyHash> hashes = new HashSet<>();
    keys.forEach(key -> hashes.add(key.hash("ns")));
    assertThat(hashes).hasSameSizeAs(keys);
    assertThat(new HashSet<>(keys)).hasSameSizeAs(keys);
  }

  /** Case C39: every character is an ordinary one, and none is folded. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "9:invoice",
        "9 invoice",
        " 9",
        "9 ",
        "9\t",
        "9\n",
        "{9}",
        "}{",
        "{}",
        "9*?[",
        "\u00c4",
        "A\u0308",
        "ORD-1",
        "ord-1",
        "\ud83d\ude00",
        "a\u0000b",
        "\u202e9",
        "|"
      })
  void oddCharactersAreOrdinaryOnes(String id) {
    EffectKey key = MAIL.id(id);

    assertThat(key.parts()).containsExactly(id);
    assertThat(EffectKey.fromCanonical(key.canonical())).isEqualTo(key);
    assertThat(key.toString()).doesNotContain("\n", "\t", "\u0000", "\u202e");
  }

  @Test
  void longPartsKeepEveryCharacter() {
    String tenKilobytes = "x".repeat(10 * 1024);

    assertThat(EffectKey.fromCanonical(MAIL.id(tenKilobytes).canonical()).parts())
        .containsExactly(tenKilobytes);
    assertThat(MAIL.id(tenKilobytes).toString()).hasSizeLessThan(200);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id("x".repeat(EffectKey.MAX_CANONICAL_BYTES)))
        .withMessageContaining("mail.invoice")
        .withMessageContaining("65536");
  }

  @Test
  void partsWithoutAVisibleCharacterAreRefusedByNumber() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id("a", ""))
        .withMessageContaining("an empty part 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id(" \t"))
        .withMessageContaining("a blank part 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id("a", "b", null))
        .withMessageContaining("a null part 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id((UUID) null))
        .withMessageContaining("part 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.tenant(""))
        .withMessageContaining("tenant");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectKey.of(" "))
        .withMessageContaining("operation");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.version(0))
        .withMessageContaining("version 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id("a").hash(""))
        .withMessageContaining("namespace");
  }

  @Test
  void unpairedSurrogatesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id("\ud800"))
        .withMessageContaining("unpaired surrogate")
        .withMessageContaining("part 1");
    assertThatIllegalArgumentException().isThrownBy(() -> MAIL.id("\ude00\ud83d"));
  }

  @Test
  void theCanonicalFormIsFixedForEver() {
    assertThat(MAIL.version(300).tenant("acme").id("order-9", "1").canonical())
        .asHexString()
        .isEqualTo("010C6D61696C2E696E766F696365AC020461636D6502076F726465722D390131");
    assertThat(MAIL.id("order-9").hash("billing").toString()).isEqualTo(PINNED_HASH);
    assertThat(ProviderKey.of(EffectId.of("billing", MAIL.id("order-9")), 0))
        .isEqualTo(PINNED_PROVIDER_KEY);
  }

  private static final String PINNED_HASH =
      "359974a176e70ce442daea9517eac2f7a2d933e019203dda864ea2679a9f5fe5";
  private static final String PINNED_PROVIDER_KEY = "ib-e16d8c59c49aac94cad48f9452972f2d4a02e97d";

  @Test
  void brokenCanonicalFormsAreRefused() {
    byte[] good = MAIL.tenant("acme").id("order-9").canonical();
    for (int length = 0; length < good.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(good, length);
      assertThatIllegalArgumentException().isThrownBy(() -> EffectKey.fromCanonical(cut));
    }
    byte[] longer = java.util.Arrays.copyOf(good, good.length + 1);
    assertThatIllegalArgumentException().isThrownBy(() -> EffectKey.fromCanonical(longer));
    byte[] newer = good.clone();
    newer[0] = 2;
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectKey.fromCanonical(newer))
        .withMessageContaining("format 2");
  }

  @Test
  void theReadableFormShowsAllPartsOnOneLine() {
    assertThat(MAIL.version(2).tenant("acme").id("order-9", "a\nb").toString())
        .isEqualTo("mail.invoice#2@acme[order-9, a\\u{a}b]");
  }

  @Test
  void providerKeysDifferByGenerationAndFitHeaders() {
    EffectId id = EffectId.of("billing", MAIL.id("order-9"));

    assertThat(ProviderKey.of(id, 0))
        .matches("ib-[0-9a-f]{40}")
        .isNotEqualTo(ProviderKey.of(id, 1));
  }
}
