package io.idembox.effect;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store in front of another, for a test to bend one method of. */
class DelegatingStore implements EffectStore {
  private final EffectStore store;

  DelegatingStore(EffectStore store) {
    this.store = store;
  }

  @Override
  public CompletionStage<StoreReply> apply(StoreCommand command) {
    return store.apply(command);
  }

  @Override
  public CompletionStage<List<Optional<EffectRecord>>> lookUp(List<EffectId> ids) {
    return store.lookUp(ids);
  }

  @Override
  public CompletionStage<List<EffectRecord>> unsettled(String namespace) {
    return store.unsettled(namespace);
  }

  @Override
  public CompletionStage<Integer> sweep(String namespace) {
    return store.sweep(namespace);
  }

  @Override
  public CompletionStage<StoreMarker> marker(String namespace) {
    return store.marker(namespace);
  }

  @Override
  public Duration commandTimeout() {
    return store.commandTimeout();
  }

  @Override
  public List<StoreFinding> check() {
    return store.check();
  }

  @Override
  public void close() {
    store.close();
  }
}
