package io.idembox.runtime;

import io.idembox.effect.EffectId;
import io.idembox.effect.EffectRecord;
import io.idembox.effect.EffectStore;
import io.idembox.effect.StoreCommand;
import io.idembox.effect.StoreFinding;
import io.idembox.effect.StoreMarker;
import io.idembox.effect.StoreReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store that ends the process around the commands of the guard. */
record CrashingStore(EffectStore real, CrashPoint at) implements EffectStore {

  @Override
  public CompletionStage<StoreReply> apply(StoreCommand command) {
    boolean settles = command instanceof StoreCommand.Settle;
    if (at == CrashPoint.AFTER_THE_COMMIT || (settles && at == CrashPoint.AFTER_THE_EFFECT)) {
      CrashPoint.crash();
    }
    CompletionStage<StoreReply> reply = real.apply(command);
    return settles && at == CrashPoint.AFTER_THE_GUARD
        ? reply.whenComplete((answer, failure) -> CrashPoint.crash())
        : reply;
  }

  @Override
  public CompletionStage<List<Optional<EffectRecord>>> lookUp(List<EffectId> ids) {
    if (at == CrashPoint.AFTER_THE_COMMIT) {
      CrashPoint.crash();
    }
    return real.lookUp(ids);
  }

  @Override
  public CompletionStage<List<EffectRecord>> unsettled(String namespace) {
    return real.unsettled(namespace);
  }

  @Override
  public CompletionStage<StoreMarker> marker(String namespace) {
    return real.marker(namespace);
  }

  @Override
  public Duration commandTimeout() {
    return real.commandTimeout();
  }

  @Override
  public List<StoreFinding> check() {
    return real.check();
  }

  @Override
  public void close() {
    real.close();
  }
}
