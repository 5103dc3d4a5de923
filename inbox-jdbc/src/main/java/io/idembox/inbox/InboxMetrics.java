package io.idembox.inbox;

import io.idembox.inbox.MessageIdentity.Source;

/**
 * Where an inbox counts. Called on the working threads: implementations are thread-safe and quick.
 */
public interface InboxMetrics {
  /** Counts nothing. */
  InboxMetrics NONE =
      new InboxMetrics() {
        @Override
        public void identified(Source source) {}

        @Override
        public void unusableId() {}

        @Override
        public void claimed(int fresh, int duplicates) {}

        @Override
        public void refusedByAnotherTopic(int messages) {}

        @Override
        public void commitUnknown() {}
      };

  /** A message got its identity; many from COORDINATES mean that copies are not recognised. */
  void identified(Source source);

  /** A message claims to have an id that cannot be used. */
  void unusableId();

  /** A transaction was committed, or a batch of duplicates seen. */
  void claimed(int fresh, int duplicates);

  /**
   * Duplicates whose row stands for a record of another topic; looked at in one batch of a hundred.
   */
  void refusedByAnotherTopic(int messages);

  /** A connection was lost while a COMMIT was under way. */
  void commitUnknown();
}
