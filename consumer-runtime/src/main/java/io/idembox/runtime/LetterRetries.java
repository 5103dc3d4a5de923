package io.idembox.runtime;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.DeadLetter;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetterState;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.InboxRun;
import io.idembox.inbox.LetterRetry;
import io.idembox.inbox.LetterRetry.Retried;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.MessageIdentity;
import io.idembox.inbox.MessageIdentity.Known;
import io.idembox.inbox.OpenLetter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the handlers of dead letters again: for people, and for copies that come in. */
final class LetterRetries {
  private static final Logger log = LoggerFactory.getLogger(LetterRetries.class);

  private final ConsumerInbox inbox;
  private final MessageIdResolver ids;
  private final Routes routes;
  private final EffectRunner effects;
  private final ProcessSpans spans;
  private final FailureClassifier classifier;

  LetterRetries(
      ConsumerInbox inbox,
      MessageIdResolver ids,
      Routes routes,
      EffectRunner effects,
      ProcessSpans spans,
      FailureClassifier classifier) {
    this.inbox = inbox;
    this.ids = ids;
    this.routes = routes;
    this.effects = effects;
    this.spans = spans;
    this.classifier = classifier;
  }

  /**
   * Among duplicates, some may be copies of a record that is dead: a producer's answer to its
   * failure. Each is a retry of the letter, with the copy's bytes. The dead record itself, when it
   * is delivered again, is not.
   *
   * @param claims of the batch
   * @param duplicates indexes of those that were not new
   * @throws RecordFailedException if a server's failure or another transaction kept a retry from
   *     running; to be tried again. A record's own failure leaves its letter open
   */
  void ofCopies(Batch batch, List<InboxClaim> claims, List<Integer> duplicates) {
    List<UUID> duplicateIds = duplicates.stream().map(i -> claims.get(i).messageId()).toList();
    for (OpenLetter letter : inbox.deadLetters().openAmong(duplicateIds)) {
      for (int index : duplicates) {
        InboxClaim claim = claims.get(index);
        if (letter.state() == DeadLetterState.OPEN
            && claim.messageId().equals(letter.claim().messageId())
            && !letter.isFrom(claim)
            && retriedBy(batch, index, letter)) {
          break;
        }
      }
    }
  }

  /** Returns false if the copy failed too. */
  private boolean retriedBy(Batch batch, int index, OpenLetter letter) {
    FetchedRecord copy = batch.records().get(index);
    try {
      run(letter.id(), copy, letter.claim().messageId());
      log.info("{}: a copy of dead letter {}, which it settles", batch.nameOf(index), letter.id());
      return true;
    } catch (Throwable e) {
      OutOfMemory.endsProcess(e, batch.nameOf(index));
      if (!classifier.classify(new RecordFailedException(index, e)).isRecords()) {
        throw new RecordFailedException(index, e);
      }
      log.warn(
          "{}: a copy of dead letter {}, which stays open: {}",
          batch.nameOf(index),
          letter.id(),
          Causes.summary(e));
      return false;
    }
  }

  /**
   * Handles the record of a letter again, then performs its effects.
   *
   * @param replacement other bytes than the stored ones, or null
   * @throws Exception what the handler threw; the letter stays open
   */
  LetterRetry retry(long id, @Nullable DeadLetterContent replacement) throws Exception {
    Optional<DeadLetter> letter = inbox.deadLetters().show(id);
    if (letter.isEmpty()) {
      return new LetterRetry.NotOpen(null);
    }
    DeadLetter found = letter.get();
    if (!routes.topics().contains(found.topic())) {
      // Without a handler it would be closed as if it had been handled.
      throw new IllegalStateException(
          "Dead letter "
              + id
              + " is of topic "
              + found.topic()
              + ", which this consumer does not subscribe to: subscribe to it, or discard the letter");
    }
    return run(
        id,
        fetched(found, replacement == null ? found.content() : replacement),
        found.claim().messageId());
  }

  /** Retries what waited for an effect; returns how many succeeded. */
  int retryHeldBy(EffectKey key) {
    int handled = 0;
    for (long id : inbox.deadLetters().releaseHeld(key)) {
      try {
        handled += retry(id, null) instanceof Retried ? 1 : 0;
      } catch (Exception e) {
        log.warn("Dead letter {} failed again and stays open: {}", id, Causes.summary(e));
      }
    }
    return handled;
  }

  private LetterRetry run(long id, FetchedRecord fetched, UUID messageId) throws Exception {
    MessageIdentity resolved = ids.resolve(fetched);
    MessageIdentity.Source source =
        resolved instanceof Known known ? known.source() : MessageIdentity.Source.COORDINATES;
    Known identity = new Known(messageId, source);
    LetterRetry retry =
        inbox
            .deadLetters()
            .retry(
                id,
                null,
                (letter, tx) -> {
                  Route<?> route = routes.of(fetched);
                  if (route != null) {
                    spans.around(fetched, identity, () -> route.handle(fetched, identity, tx));
                  }
                });
    if (retry instanceof Retried retried) {
      effects.run(retried.run().intents(), () -> true);
    }
    return retry;
  }

  /** The record as it was, as far as the letter kept it: without leader epoch and topic id. */
  private static FetchedRecord fetched(DeadLetter letter, DeadLetterContent content) {
    RecordHeaders headers = new RecordHeaders();
    content.headers().forEach(header -> headers.add(header.name(), header.value()));
    Instant timestamp = content.timestamp();
    return new FetchedRecord(
        new ConsumerRecord<>(
            letter.topic(),
            letter.claim().partition(),
            letter.claim().offset(),
            timestamp == null ? ConsumerRecord.NO_TIMESTAMP : timestamp.toEpochMilli(),
            TimestampType.CREATE_TIME,
            size(content.key()),
            size(content.value()),
            content.key(),
            content.value(),
            headers,
            Optional.empty()),
        new UUID(0, 0));
  }

  private static int size(byte @Nullable [] bytes) {
    return bytes == null ? ConsumerRecord.NULL_SIZE : bytes.length;
  }

  /** Indexes of the claims that were not new, up to where the run came. */
  static List<Integer> duplicates(InboxRun run) {
    List<Integer> duplicates = new ArrayList<>();
    for (int i = run.fresh().nextClearBit(0);
        i < run.covered();
        i = run.fresh().nextClearBit(i + 1)) {
      duplicates.add(i);
    }
    return duplicates;
  }
}
