package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.effect.EffectRejectedException;
import io.idembox.effect.EffectStoreException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.SerializationException;
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

  @Test
  void whatADecoderCannotReadIsUndecodable() {
    assertThat(CLASSIFIER.classify(undecodable(new IllegalArgumentException("no such field"))))
        .isEqualTo(FailureClass.UNDECODABLE);
    assertThat(
            CLASSIFIER.classify(
                new RecordFailedException(
                    0, new UnusableMessageIdException("orders-0@0", "blank"))))
        .isEqualTo(FailureClass.UNDECODABLE);
  }

  /** C22: a schema registry that is away must not throw away hours of good records. */
  @Test
  void aDecoderWhoseOwnServiceIsAwayMeetsAnOutage() {
    List<Throwable> away =
        List.of(
            DecodingException.temporary("the registry is away", null),
            new IllegalStateException(new ConnectException("refused")),
            new IllegalStateException(new SocketTimeoutException("no answer")),
            new SerializationException(new UnknownHostException("registry")));
    assertThat(away)
        .allSatisfy(
            cause ->
                assertThat(CLASSIFIER.classify(undecodable(cause)))
                    .isEqualTo(FailureClass.INFRASTRUCTURE));
  }

  @Test
  void whatCanNeverSucceedIsPermanentUnlessTheJudgeSaysOtherwise() {
    Throwable forGood =
        new RecordFailedException(0, new PermanentFailureException("no such customer"));
    Throwable rejected =
        new RecordFailedException(0, new EffectRejectedException("no such account"));

    assertThat(CLASSIFIER.classify(forGood)).isEqualTo(FailureClass.PERMANENT);
    assertThat(CLASSIFIER.classify(rejected)).isEqualTo(FailureClass.PERMANENT);
    FailureClassifier hopeful = new FailureClassifier(f -> FailureJudge.Verdict.TRANSIENT);
    assertThat(hopeful.classify(rejected)).isEqualTo(FailureClass.TRANSIENT);
  }

  @Test
  void theJudgeIsGivenWhatTheHandlerThrewAndIsNotAskedAboutServers() {
    List<Throwable> asked = new ArrayList<>();
    FailureClassifier classifier =
        new FailureClassifier(
            failure -> {
              asked.add(failure);
              return FailureJudge.Verdict.PERMANENT;
            });
    Exception thrown = new IllegalStateException("of the handler");

    assertThat(classifier.classify(new RecordFailedException(0, thrown)))
        .isEqualTo(FailureClass.PERMANENT);
    assertThat(classifier.classify(new RecordFailedException(0, new SQLException("x", "08006"))))
        .isEqualTo(FailureClass.INFRASTRUCTURE);
    assertThat(asked).containsExactly(thrown);
  }

  @Test
  void aJudgeThatFailsDecidesNothing() {
    FailureClassifier faulty =
        new FailureClassifier(
            failure -> {
              throw new IllegalStateException("its own fault");
            });

    assertThat(faulty.classify(new RecordFailedException(0, new IllegalStateException("x"))))
        .isEqualTo(FailureClass.TRANSIENT);
  }

  private static Throwable undecodable(Throwable cause) {
    return new RecordFailedException(0, new UndecodableRecordException("orders-0@0", cause));
  }

  private static FailureClass inHandler(String state) {
    return CLASSIFIER.classify(
        new RecordFailedException(0, new RuntimeException(new SQLException("x", state))));
  }
}
