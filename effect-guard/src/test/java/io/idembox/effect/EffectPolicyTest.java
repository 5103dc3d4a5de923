package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class EffectPolicyTest {
  @Test
  void theDefaultsArePinned() {
    EffectPolicy policy = EffectPolicy.defaults();

    assertThat(policy.retention()).isEqualTo(Duration.ofDays(3));
    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.onUnknown()).isEqualTo(OnUnknown.RETRY);
    assertThat(policy.secondCaller()).isEmpty();
    assertThat(policy.fingerprint()).isEqualTo(OnMismatch.WARN);
    assertThat(policy.onStoreFailure()).isEqualTo(OnStoreFailure.CLOSED);
    assertThat(policy.receiptCap()).isEqualTo(16 * 1024);
    assertThat(policy.maxAttempts()).isEqualTo(3);
    assertThat(policy.backoff()).isEqualTo(Duration.ofMillis(100));
    assertThat(policy.maxBackoff()).isEqualTo(Duration.ofSeconds(2));
    assertThat(policy.timeout()).isEmpty();
    assertThat(policy.toBuilder().build()).usingRecursiveComparison().isEqualTo(policy);
  }

  @Test
  void valuesOutOfRangeAreRefusedByName() {
    refused(EffectPolicy.builder().lease(Duration.ZERO), "lease PT0S");
    refused(EffectPolicy.builder().lease(Duration.ofHours(2)), "lease");
    refused(EffectPolicy.builder().retention(Duration.ofMillis(-1)), "retention");
    refused(EffectPolicy.builder().receiptCap(-1), "receiptCap -1");
    refused(EffectPolicy.builder().maxAttempts(0), "maxAttempts 0");
    refused(EffectPolicy.builder().timeout(Duration.ZERO), "timeout");
    refused(
        EffectPolicy.builder().backoff(Duration.ofSeconds(3), Duration.ofSeconds(2)), "maxBackoff");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SecondCaller.waitFor(Duration.ofMillis(-1)))
        .withMessageContaining("secondCaller");
  }

  @Test
  void valuesThatContradictEachOtherAreRefused() {
    refused(
        EffectPolicy.builder().lease(Duration.ofMinutes(2)).retention(Duration.ofMinutes(1)),
        "retention PT1M, not longer than its lease PT2M");
    refused(
        EffectPolicy.builder().onStoreFailure(OnStoreFailure.OPEN).onUnknown(OnUnknown.HOLD),
        "onStoreFailure OPEN with onUnknown HOLD");
    refused(
        EffectPolicy.builder().onStoreFailure(OnStoreFailure.OPEN).onUnknown(OnUnknown.RESOLVE),
        "onStoreFailure OPEN with onUnknown RESOLVE");
  }

  private static void refused(EffectPolicy.Builder builder, String naming) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining(naming);
  }

  @Test
  void aCatalogRefusesWhatCouldNotWork() {
    MailEffect resolving =
        new MailEffect().policy(EffectPolicy.builder().onUnknown(OnUnknown.RESOLVE).build());

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectCatalog.of(new MailEffect(), new MailEffect()))
        .withMessageContaining("'invoice-mail' is used by");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectCatalog.of(resolving))
        .withMessageContaining("ResolvableEffect");
    EffectCatalog catalog = EffectCatalog.of(new MailEffect());
    assertThat(catalog.find("invoice-mail")).isPresent();
    assertThat(catalog.find("other")).isEmpty();
    assertThat(catalog.contains(MailEffect.NAME)).isTrue();
    assertThat(catalog.contains(EffectName.of("invoice-mail", Mail.class, String.class))).isFalse();
    assertThat(catalog.checkRetention(Duration.ofDays(7)))
        .singleElement()
        .satisfies(f -> assertThat(f.toString()).contains("invoice-mail"));
    assertThat(catalog.checkRetention(Duration.ofDays(3))).isEmpty();
  }

  @Test
  void aGuardRefusesWhatCouldNotWork() {
    InMemoryEffectStore store = new InMemoryEffectStore();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectGuard.builder(store).build())
        .withMessageContaining("namespace");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectGuard.builder(store).namespace(" ").build())
        .withMessageContaining("namespace");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EffectGuard.builder(store).namespace("x").concurrency(0).build())
        .withMessageContaining("concurrency 0");
  }
}
