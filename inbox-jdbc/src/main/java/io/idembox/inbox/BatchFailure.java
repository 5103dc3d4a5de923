package io.idembox.inbox;

/** Decides about a message that fails when it stands alone. */
@FunctionalInterface
public interface BatchFailure {
  /**
   * Gives the message up (writes a dead letter, for instance) and returns, so that the others go
   * on; or throws, so that the run ends here and the message is tried again later.
   *
   * @param index into the claims given
   * @throws Exception ends the run; messages before the index are committed
   */
  void failed(int index, Exception failure) throws Exception;
}
