package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/** Who a message is: the 16 bytes under which the inbox remembers it. */
public sealed interface MessageIdentity {

  /**
   * The bytes that the inbox stores. The RFC variant with version 1 to 7 is a UUID as the producer
   * wrote it, version 8 a hash of another id, the reserved variant (binary 111) coordinates.
   */
  UUID id();

  /** Which of the two answers this is. */
  Kind kind();

  /** The closed set of answers. */
  enum Kind {
    /** The message may be claimed under its id. */
    KNOWN,
    /** The message claims to have an id, but a wrong one: it belongs into the dead letters. */
    UNUSABLE
  }

  /** Where an identity came from. */
  enum Source {
    /** The configured header. */
    HEADER,
    /** The CloudEvents pair of source and id. */
    CLOUD_EVENT,
    /** The user's extractor. */
    EXTRACTOR,
    /**
     * Topic id, partition and offset. Weak: a copy that is published again has other coordinates
     * and is not recognised.
     */
    COORDINATES
  }

  /** An identity to claim the message under. */
  record Known(UUID id, Source source) implements MessageIdentity {
    /** Both parts are required. */
    public Known {
      requireNonNull(id, "id");
      requireNonNull(source, "source");
    }

    @Override
    public Kind kind() {
      return Kind.KNOWN;
    }
  }

  /**
   * The record has no identity that could be used.
   *
   * @param id made from the coordinates, so that two such records are never taken for one
   * @param reason names the header or field and what is wrong with it; short, without the payload
   */
  record Unusable(UUID id, String reason) implements MessageIdentity {
    /** Both parts are required. */
    public Unusable {
      requireNonNull(id, "id");
      requireNonNull(reason, "reason");
    }

    @Override
    public Kind kind() {
      return Kind.UNUSABLE;
    }
  }
}
