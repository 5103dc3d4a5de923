package io.idembox.runtime;

import io.idembox.effect.EffectInProgressException;
import io.idembox.effect.EffectMismatchException;
import io.idembox.effect.EffectRejectedException;
import io.idembox.effect.EffectStoreException;
import io.idembox.inbox.EffectHeldException;
import io.idembox.inbox.InboxStatementException;
import io.idembox.inbox.ReceiptUnavailableException;
import io.idembox.inbox.RequestMismatchException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.sql.SQLException;
import java.util.List;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classes failures by where they happened, then by SQLSTATE, never by message text.
 *
 * <table>
 *   <caption>What is looked for, in this order; the first that applies decides</caption>
 *   <tr><th>anywhere in the chain of causes</th><th>class</th></tr>
 *   <tr><td>a value that a decoder could not read: because of the network, a service that is away
 *       or a {@linkplain DecodingException#isTemporary() temporary} reason</td>
 *       <td>{@link FailureClass#INFRASTRUCTURE}</td></tr>
 *   <tr><td>any other value that could not be read; an unusable message id</td>
 *       <td>{@link FailureClass#UNDECODABLE}</td></tr>
 *   <tr><td>an effect that is in progress elsewhere</td>
 *       <td>{@link FailureClass#CONTENTION}</td></tr>
 *   <tr><td>a failure of the guard's store</td>
 *       <td>{@link FailureClass#INFRASTRUCTURE}</td></tr>
 *   <tr><td>an effect that waits for a person</td><td>{@link FailureClass#HELD}</td></tr>
 *   <tr><td>SQLSTATE 55P03 (lock time-out)</td><td>{@link FailureClass#CONTENTION}</td></tr>
 *   <tr><td>SQLSTATE 40001 (serialization), 40P01 (deadlock)</td>
 *       <td>{@link FailureClass#CONFLICT}</td></tr>
 *   <tr><td>SQLSTATE 08*, 28*, 3D000, 25006, 25P03, 53*, 57P*, 58*</td>
 *       <td>{@link FailureClass#INFRASTRUCTURE}</td></tr>
 *   <tr><td>SQLSTATE 22*, 23*, P0* in a statement of the inbox (a constraint that is checked at
 *       commit, for instance)</td><td>{@link FailureClass#TRANSIENT}</td></tr>
 *   <tr><td>any other failure of a statement of the inbox</td>
 *       <td>{@link FailureClass#INFRASTRUCTURE}</td></tr>
 *   <tr><td>everything else is the handler's own failure: as the {@link FailureJudge} says</td>
 *       <td>{@link FailureClass#PERMANENT} or {@link FailureClass#TRANSIENT}</td></tr>
 *   <tr><td>it does not know, and there is a {@link PermanentFailureException}, an effect that was
 *       rejected for good, another request under a used key, a receipt that is not to be had, or a
 *       record in which the process ended too often ({@link ProcessEndedException})</td>
 *       <td>{@link FailureClass#PERMANENT}</td></tr>
 *   <tr><td>the rest, Errors included</td><td>{@link FailureClass#TRANSIENT}</td></tr>
 * </table>
 *
 * <p>Not decided here: a record that alone brings {@link FailureClass#INFRASTRUCTURE} ten times
 * while others succeed is {@link FailureClass#TRANSIENT} from then on ({@link FailurePolicy}), and
 * an OutOfMemoryError ends the process ({@link OutOfMemory}).
 */
final class FailureClassifier {
  private static final Logger log = LoggerFactory.getLogger(FailureClassifier.class);
  private static final List<Class<? extends Throwable>> AWAY =
      List.of(
          SocketException.class,
          SocketTimeoutException.class,
          UnknownHostException.class,
          HttpTimeoutException.class,
          RetriableException.class);
  private static final List<Class<? extends Throwable>> FOR_GOOD =
      List.of(
          PermanentFailureException.class,
          ProcessEndedException.class,
          EffectRejectedException.class,
          EffectMismatchException.class,
          RequestMismatchException.class,
          ReceiptUnavailableException.class);

  private final FailureJudge judge;

  FailureClassifier(FailureJudge judge) {
    this.judge = judge;
  }

  /** Whether the server ended the transaction because it was idle for too long. */
  static boolean isIdleInTransaction(Throwable failure) {
    return Causes.of(failure).stream()
        .anyMatch(t -> t instanceof SQLException e && "25P03".equals(e.getSQLState()));
  }

  FailureClass classify(Throwable failure) {
    if (Causes.has(failure, UndecodableRecordException.class)) {
      return isTemporary(failure) ? FailureClass.INFRASTRUCTURE : FailureClass.UNDECODABLE;
    }
    if (Causes.has(failure, UnusableMessageIdException.class)) {
      return FailureClass.UNDECODABLE;
    }
    if (Causes.has(failure, EffectInProgressException.class)) {
      return FailureClass.CONTENTION;
    }
    if (Causes.has(failure, EffectStoreException.class)) {
      return FailureClass.INFRASTRUCTURE;
    }
    if (Causes.has(failure, EffectHeldException.class)) {
      return FailureClass.HELD;
    }
    @Nullable FailureClass databases = byState(failure);
    return databases == null ? handlers(failure) : databases;
  }

  private static boolean isTemporary(Throwable failure) {
    return Causes.of(failure).stream()
        .anyMatch(
            t ->
                (t instanceof DecodingException decoding && decoding.isTemporary())
                    || AWAY.stream().anyMatch(type -> type.isInstance(t)));
  }

  private static @Nullable FailureClass byState(Throwable failure) {
    boolean ownStatement = Causes.has(failure, InboxStatementException.class);
    String state = "";
    for (Throwable t : Causes.of(failure)) {
      if (t instanceof SQLException e && e.getSQLState() != null) {
        state = e.getSQLState();
        break;
      }
    }
    if (state.equals("55P03")) {
      return FailureClass.CONTENTION;
    }
    if (state.equals("40001") || state.equals("40P01")) {
      return FailureClass.CONFLICT;
    }
    if (isInfrastructure(state)) {
      return FailureClass.INFRASTRUCTURE;
    }
    if (!ownStatement) {
      return null;
    }
    return state.startsWith("22") || state.startsWith("23") || state.startsWith("P0")
        ? FailureClass.TRANSIENT
        : FailureClass.INFRASTRUCTURE;
  }

  private FailureClass handlers(Throwable failure) {
    return switch (judgement(failure)) {
      case PERMANENT -> FailureClass.PERMANENT;
      case TRANSIENT -> FailureClass.TRANSIENT;
      case UNDECIDED ->
          FOR_GOOD.stream().anyMatch(type -> Causes.has(failure, type))
              ? FailureClass.PERMANENT
              : FailureClass.TRANSIENT;
    };
  }

  private FailureJudge.Verdict judgement(Throwable failure) {
    try {
      FailureJudge.@Nullable Verdict verdict = judge.judge(thrownByHandler(failure));
      if (verdict != null) {
        return verdict;
      }
      log.warn("The failure judge answered null to {}", Causes.summary(failure));
    } catch (Throwable e) {
      // Its own fault must not decide about a record.
      log.warn("The failure judge failed: {}", Causes.summary(e));
    }
    return FailureJudge.Verdict.UNDECIDED;
  }

  /** Without what we wrap failures in. */
  private static Throwable thrownByHandler(Throwable failure) {
    Throwable cause = failure.getCause();
    boolean ours =
        failure instanceof RecordFailedException || failure instanceof BatchHandlerFailedException;
    return ours && cause != null ? cause : failure;
  }

  private static boolean isInfrastructure(String state) {
    return state.startsWith("08")
        || state.startsWith("28")
        || state.startsWith("53")
        || state.startsWith("57P")
        || state.startsWith("58")
        || state.equals("3D000")
        || state.equals("25006")
        || state.equals("25P03");
  }
}
