package io.idembox.effect;

import static io.idembox.effect.EffectOutcome.Kind.IN_DOUBT;
import static io.idembox.effect.EffectOutcome.Kind.PERFORMED;
import static io.idembox.effect.EffectOutcome.Kind.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.GuardWorker.Boundary;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Case C44, and C45 (b): the process dies, or freezes for longer than its lease, at each boundary
 * of a run. One process runs an effect for each boundary, so that one death, and one wait for the
 * leases, shows them all.
 */
@WithServers(WithServers.Server.REDIS)
final class ProcessDeathTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final List<Boundary> UNFINISHED =
      List.of(Boundary.CLAIMED, Boundary.STARTED, Boundary.PERFORMED);

  @TempDir private Path folder;
  private TestScope scope;
  private RedisEffectStore store;
  private EffectGuard guard;

  @BeforeEach
  void open() {
    store =
        RedisEffectStore.builder(scope.redis().uri()).commandTimeout(LEASE.dividedBy(3)).connect();
    guard = EffectGuard.builder(store).namespace(scope.namespace()).build();
  }

  @AfterEach
  void close() {
    guard.close();
    store.close();
  }

  /** A process that has stopped at all of these. */
  private JavaProcess worker(OnUnknown onUnknown, Boundary... boundaries) {
    JavaProcess process =
        JavaProcess.builder(GuardWorker.class)
            // Such a process is over before the second compiler pays.
            .jvmArgs("-XX:TieredStopAtLevel=1")
            .args(
                Stream.concat(
                        Stream.of(
                            scope.redis().uri(),
                            scope.namespace(),
                            onUnknown.name(),
                            String.valueOf(LEASE.toMillis()),
                            folder.toString()),
                        Arrays.stream(boundaries).map(Enum::name))
                    .toArray(String[]::new))
            .start();
    for (Boundary boundary : boundaries) {
      process.awaitLine("at " + boundary, LIMIT);
    }
    return process;
  }

  private EffectPolicy policy(OnUnknown onUnknown) {
    return EffectPolicy.builder()
        .onUnknown(onUnknown)
        .lease(LEASE)
        .maxAttempts(1)
        .secondCaller(SecondCaller.waitFor(Duration.ofSeconds(30)))
        .build();
  }

  private EffectOutcome<String> next(OnUnknown onUnknown, Boundary boundary) {
    return guard.tryOnce(
        policy(onUnknown),
        boundary.key(),
        String.class,
        attempt -> {
          Files.writeString(
              boundary.sink(folder),
              attempt.providerKey() + "\n",
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
          return "paid by the next";
        });
  }

  private List<String> payments(Boundary boundary) throws IOException {
    Path sink = boundary.sink(folder);
    return Files.exists(sink) ? Files.readAllLines(sink) : List.of();
  }

  @Test
  void underRetryTheNextCallerRunsItAgainAfterTheLeaseWithTheSameProviderKey() throws IOException {
    worker(OnUnknown.RETRY, Boundary.values()).close();

    for (Boundary boundary : UNFINISHED) {
      assertThat(next(OnUnknown.RETRY, boundary).kind()).as("%s", boundary).isEqualTo(PERFORMED);
      assertThat(payments(boundary)).hasSize(boundary == Boundary.PERFORMED ? 2 : 1);
      assertThat(payments(boundary).stream().distinct()).hasSize(1);
    }
    assertNothingChanged(OnUnknown.RETRY);
  }

  @Test
  void underHoldNobodyRunsItAgainUntilAPersonDecides() throws IOException {
    worker(OnUnknown.HOLD, Boundary.values()).close();

    for (Boundary boundary : UNFINISHED) {
      assertThat(next(OnUnknown.HOLD, boundary).kind()).as("%s", boundary).isEqualTo(IN_DOUBT);
      assertThat(payments(boundary)).hasSize(boundary == Boundary.PERFORMED ? 1 : 0);
    }
    assertThat(inDoubt())
        .containsExactlyInAnyOrderElementsOf(UNFINISHED.stream().map(Boundary::key).toList());
    for (Boundary boundary : UNFINISHED) {
      guard.operations().resolveNotDone(boundary.key());
      assertThat(next(OnUnknown.HOLD, boundary).kind()).as("%s", boundary).isEqualTo(PERFORMED);
      assertThat(payments(boundary)).hasSize(boundary == Boundary.PERFORMED ? 2 : 1);
    }
    assertThat(inDoubt()).isEmpty();
    assertNothingChanged(OnUnknown.HOLD);
  }

  /** A death after the completion. */
  private void assertNothingChanged(OnUnknown onUnknown) throws IOException {
    assertThat(next(onUnknown, Boundary.COMPLETED).kind()).isEqualTo(REPLAYED);
    assertThat(payments(Boundary.COMPLETED)).hasSize(1);
  }

  private List<EffectKey> inDoubt() {
    return guard.operations().inDoubt().stream().map(record -> record.key().orElseThrow()).toList();
  }

  @Test
  void aClaimThatNobodyAskedForAgainIsFoundByASweep() {
    worker(OnUnknown.HOLD, Boundary.CLAIMED).close();

    await().atMost(LIMIT).until(() -> guard.operations().sweep() == 1);
    assertThat(inDoubt()).containsExactly(Boundary.CLAIMED.key());
  }

  /** Under RETRY a successor runs and its receipt is left alone; under HOLD nobody has run. */
  @ParameterizedTest
  @EnumSource(
      value = OnUnknown.class,
      names = {"RETRY", "HOLD"})
  void aHolderFrozenPastItsLeaseCompletesOnlyIfItHasNoSuccessor(OnUnknown onUnknown)
      throws IOException {
    boolean retry = onUnknown == OnUnknown.RETRY;
    try (JavaProcess first = worker(onUnknown, Boundary.PERFORMED)) {
      first.freeze();
      assertThat(next(onUnknown, Boundary.PERFORMED).kind())
          .isEqualTo(retry ? PERFORMED : IN_DOUBT);
      first.thaw();
      Files.createFile(folder.resolve("go"));

      // It gets the receipt that all get, and says that it lost its key.
      first.awaitLine("outcome " + (retry ? REPLAYED : PERFORMED), LIMIT);
      if (retry) {
        assertThat(first.output())
            .anyMatch(line -> line.contains("after its key had been taken over"));
      }
    }
    assertThat(payments(Boundary.PERFORMED)).hasSize(retry ? 2 : 1);
    assertThat(payments(Boundary.PERFORMED).stream().distinct()).hasSize(1);
    String receipt =
        guard.once(
            policy(onUnknown), Boundary.PERFORMED.key(), String.class, attempt -> "paid once more");
    assertThat(receipt).startsWith("paid by ");
    assertThat(receipt.equals("paid by the next")).isEqualTo(retry);
  }
}
