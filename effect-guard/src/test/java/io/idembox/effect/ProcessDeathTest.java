package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectOutcome.Kind;
import io.idembox.effect.GuardWorker.Boundary;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Case C44, and C45 (b): the process dies, or freezes for longer than its lease, at each boundary
 * of a run.
 */
@WithServers(WithServers.Server.REDIS)
final class ProcessDeathTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofSeconds(3);

  @TempDir private Path folder;
  private TestScope scope;
  private RedisEffectStore store;
  private EffectGuard guard;
  private Path sink;

  @BeforeEach
  void open() throws IOException {
    sink = Files.createFile(folder.resolve("sink"));
    store =
        RedisEffectStore.builder(scope.redis().uri()).commandTimeout(LEASE.dividedBy(3)).connect();
    guard = EffectGuard.builder(store).namespace(scope.namespace()).build();
  }

  @AfterEach
  void close() {
    guard.close();
    store.close();
  }

  private JavaProcess worker(OnUnknown onUnknown, Boundary boundary) {
    JavaProcess process =
        JavaProcess.start(
            GuardWorker.class,
            scope.redis().uri(),
            scope.namespace(),
            onUnknown.name(),
            String.valueOf(LEASE.toMillis()),
            sink.toString(),
            boundary.name());
    process.awaitLine("at " + boundary, LIMIT);
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

  private EffectOutcome<String> next(OnUnknown onUnknown) {
    return guard.tryOnce(
        policy(onUnknown),
        GuardWorker.KEY,
        String.class,
        attempt -> {
          Files.writeString(
              sink, attempt.providerKey() + "\n", java.nio.file.StandardOpenOption.APPEND);
          return "paid by the next";
        });
  }

  private List<String> payments() throws IOException {
    return Files.readAllLines(sink);
  }

  @ParameterizedTest
  @EnumSource(
      value = Boundary.class,
      names = {"CLAIMED", "STARTED", "PERFORMED"})
  void underRetryTheNextCallerRunsItAgainAfterTheLeaseWithTheSameProviderKey(Boundary boundary)
      throws IOException {
    worker(OnUnknown.RETRY, boundary).close();

    assertThat(next(OnUnknown.RETRY).kind()).isEqualTo(Kind.PERFORMED);

    assertThat(payments()).hasSize(boundary == Boundary.PERFORMED ? 2 : 1);
    assertThat(payments().stream().distinct()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Boundary.class,
      names = {"CLAIMED", "STARTED", "PERFORMED"})
  void underHoldNobodyRunsItAgainUntilAPersonDecides(Boundary boundary) throws IOException {
    worker(OnUnknown.HOLD, boundary).close();

    assertThat(next(OnUnknown.HOLD).kind()).isEqualTo(Kind.IN_DOUBT);

    int before = boundary == Boundary.PERFORMED ? 1 : 0;
    assertThat(payments()).hasSize(before);
    assertThat(guard.operations().inDoubt()).hasSize(1);
    guard.operations().resolveNotDone(GuardWorker.KEY);
    assertThat(next(OnUnknown.HOLD).kind()).isEqualTo(Kind.PERFORMED);
    assertThat(payments()).hasSize(before + 1);
  }

  @ParameterizedTest
  @CsvSource({"RETRY", "HOLD"})
  void afterTheCompletionADeathChangesNothing(OnUnknown onUnknown) throws IOException {
    worker(onUnknown, Boundary.COMPLETED).close();

    assertThat(next(onUnknown).kind()).isEqualTo(Kind.REPLAYED);
    assertThat(payments()).hasSize(1);
  }

  @Test
  void aClaimThatNobodyAskedForAgainIsFoundByASweep() {
    worker(OnUnknown.HOLD, Boundary.CLAIMED).close();

    await().atMost(LIMIT).until(() -> guard.operations().sweep() == 1);
    assertThat(guard.operations().inDoubt())
        .extracting(record -> record.key().orElseThrow())
        .containsExactly(GuardWorker.KEY);
  }

  @Test
  void aHolderFrozenPastItsLeaseUnderRetryLeavesItsSuccessorsReceiptAlone() throws IOException {
    try (JavaProcess first = worker(OnUnknown.RETRY, Boundary.PERFORMED)) {
      first.freeze();
      assertThat(next(OnUnknown.RETRY).kind()).isEqualTo(Kind.PERFORMED);
      first.thaw();
      Files.createFile(Path.of(sink + ".go"));

      // It gets the receipt that all get, and says that it lost its key.
      first.awaitLine("outcome REPLAYED", LIMIT);
      assertThat(first.output())
          .anyMatch(line -> line.contains("after its key had been taken over"));
    }
    assertThat(payments()).hasSize(2).containsOnly(payments().get(0));
    assertThat(
            guard.once(policy(OnUnknown.RETRY), GuardWorker.KEY, String.class, attempt -> "again"))
        .isEqualTo("paid by the next");
  }

  @Test
  void aHolderFrozenPastItsLeaseUnderHoldCompletesAllTheSame() throws IOException {
    try (JavaProcess first = worker(OnUnknown.HOLD, Boundary.PERFORMED)) {
      first.freeze();
      assertThat(next(OnUnknown.HOLD).kind()).isEqualTo(Kind.IN_DOUBT);
      first.thaw();
      Files.createFile(Path.of(sink + ".go"));
      first.awaitLine("outcome PERFORMED", LIMIT);
    }
    assertThat(next(OnUnknown.HOLD).kind()).isEqualTo(Kind.REPLAYED);
    assertThat(payments()).hasSize(1);
  }
}
