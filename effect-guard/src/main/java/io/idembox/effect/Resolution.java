package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/** The provider's answer to "did it happen?". */
public sealed interface Resolution<R> {
  /** Which answer it is. */
  enum Kind {
    HAPPENED,
    DID_NOT_HAPPEN,
    STILL_UNKNOWN
  }

  Kind kind();

  /** It happened: the receipt is stored as if the attempt had returned it. */
  static <R> Resolution<R> happened(@Nullable R receipt) {
    return new Happened<>(receipt);
  }

  /** It did not happen, and cannot happen later from that attempt: the effect is performed now. */
  static <R> Resolution<R> didNotHappen() {
    return new DidNotHappen<>();
  }

  /** Nobody can say now: the effect stays in doubt and is asked for again later. */
  static <R> Resolution<R> stillUnknown(String reason) {
    return new StillUnknown<>(reason);
  }

  record Happened<R>(@Nullable R receipt) implements Resolution<R> {
    @Override
    public Kind kind() {
      return Kind.HAPPENED;
    }
  }

  record DidNotHappen<R>() implements Resolution<R> {
    @Override
    public Kind kind() {
      return Kind.DID_NOT_HAPPEN;
    }
  }

  record StillUnknown<R>(String reason) implements Resolution<R> {
    @Override
    public Kind kind() {
      return Kind.STILL_UNKNOWN;
    }
  }
}
