package io.idembox.runtime;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.Attempts;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetterDraft;
import io.idembox.inbox.DeadLetterError;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.MessageIdentity;
import io.idembox.inbox.RecordedLetter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What is written down about records that fail alone: their attempts, which survive a restart, and
 * in the end their letter. All methods throw {@link io.idembox.inbox.InboxStatementException} when
 * the database failed.
 */
final class FailedRecords {
  private static final String STARTED = "the process ended while the record was being handled";

  private final ConsumerInbox inbox;
  private final MessageIdResolver ids;
  private final int mostAttempts;

  FailedRecords(ConsumerInbox inbox, MessageIdResolver ids, int mostAttempts) {
    this.inbox = inbox;
    this.ids = ids;
    this.mostAttempts = mostAttempts;
  }

  /**
   * Notes an attempt before it is made, as it may end the process. The transaction that handles the
   * record deletes the note.
   *
   * @throws ProcessEndedException if it has used up its attempts in that way
   */
  void begins(FetchedRecord fetched, UUID messageId) {
    int begun = inbox.attempts().failed(messageId, Duration.ZERO, STARTED);
    if (begun > mostAttempts) {
      throw new ProcessEndedException(Coordinates.of(fetched.record()), begun - 1);
    }
  }

  /** The record was handled before; there is nothing to note. */
  void neverBegan(UUID messageId) {
    inbox.attempts().forget(List.of(messageId));
  }

  /** Notes a failed attempt; returns how many there were, this one included. */
  int attemptFailed(FetchedRecord fetched, Duration nextIn, String error) {
    return inbox.attempts().failed(idOf(fetched), nextIn, error);
  }

  /** How many attempts were noted. */
  int attempts(FetchedRecord fetched) {
    UUID id = idOf(fetched);
    Attempts.@Nullable Failed failed = inbox.attempts().of(List.of(id)).get(id);
    return failed == null ? 0 : failed.attempts();
  }

  /**
   * Gives a record up.
   *
   * @param attempts how often it was handled; 0 when it could not be read
   * @param heldBy the effect that it waits for, or null
   */
  RecordedLetter giveUp(
      FetchedRecord fetched,
      String reason,
      Throwable failure,
      int attempts,
      @Nullable EffectKey heldBy) {
    UUID id = idOf(fetched);
    RecordedLetter letter =
        inbox
            .deadLetters()
            .record(
                new DeadLetterDraft(
                    claim(inbox, fetched, id),
                    content(fetched),
                    DeadLetterError.of(reason, failure),
                    attempts,
                    heldBy));
    if (letter.kind() != RecordedLetter.Kind.RECORDED) {
      // What is noted goes with a letter or a success only, and this message has had one before.
      inbox.attempts().forget(List.of(id));
    }
    return letter;
  }

  /** One that has no usable id counts under its coordinates. */
  private UUID idOf(FetchedRecord fetched) {
    MessageIdentity identity = ids.resolve(fetched);
    return identity.id();
  }

  static InboxClaim claim(ConsumerInbox inbox, FetchedRecord fetched, UUID id) {
    return new InboxClaim(
        id,
        inbox.topicId(fetched.topicId(), fetched.topic()),
        fetched.partition(),
        fetched.offset());
  }

  // Key and value may be null there; NullAway does not see that of another module's arrays.
  @SuppressWarnings("NullAway")
  private static DeadLetterContent content(FetchedRecord fetched) {
    List<DeadLetterContent.Header> headers = new ArrayList<>();
    for (Header header : fetched.record().headers()) {
      headers.add(new DeadLetterContent.Header(header.key(), header.value()));
    }
    return new DeadLetterContent(
        fetched.key(),
        fetched.value(),
        headers,
        Instant.ofEpochMilli(fetched.record().timestamp()));
  }
}
