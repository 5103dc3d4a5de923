package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectStoreException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureClassifierTest {
  private static final FailureClassifier CLASSIFIER =
      new FailureClassifier(failure -> FailureJudge.Verdict.UNDECIDED);

  @ParameterizedTest
  @ValueSource(strings = {"08006", "28P01", "3D000", "25006", "25P03", "53300", "57P01", "58030"})
  void aServerThatIsAwayOrRefusesEverybodyIsInfrastructureInTheHandlerToo(String state) {
    assertThat(inHandler(state)).isEqualTo(FailureClass.INFRASTRUCTURE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"23502", "22P05", "42P01", "57014", "25P02", "P0001"})
  void whatTheHandlersStatementBroughtAboutIsItsRecordsFailure(String state) {
    assertThat(inHandler(state)).isEqualTo(FailureClass.TRANSIENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01"})
  void transactionsInEachOthersWayAreAConflict(String state) {
    assertThat(inHandler(state)).isEqualTo(FailureClass.CONFLICT);
  }

  @Test
  void aLockTimeoutIsContention() {
    assertThat(inHandler("55P03")).isEqualTo(FailureClass.CONTENTION);
  }

  @Test
  void theGuardsStoreIsInfrastructureHoweverDeepItIsWrapped() {
    Throwable store =
        new EffectStoreException(EffectStoreException.Kind.UNREACHABLE, "redis is away", null);
    assertThat(CLASSIFIER.classify(new RecordFailedException(0, new IllegalStateException(store))))
        .isEqualTo(FailureClass.INFRASTRUCTURE);
  }

  @Test
  void anErrorIsItsRecordsFailure() {
    assertThat(CLASSIFIER.classify(new RecordFailedException(3, new StackOverflowError())))
        .isEqualTo(FailureClass.TRANSIENT);
  }

  @Test
  void aChainOfCausesThatBitesItsTailIsNoReasonToHang() {
    Exception a = new Exception("a");
    Exception b = new Exception("b", a);
    a.initCause(b);
    assertThat(CLASSIFIER.classify(a)).isEqualTo(FailureClass.TRANSIENT);
  }

  private static FailureClass inHandler(String state) {
    return CLASSIFIER.classify(
        new RecordFailedException(0, new RuntimeException(new SQLException("x", state))));
  }
}
