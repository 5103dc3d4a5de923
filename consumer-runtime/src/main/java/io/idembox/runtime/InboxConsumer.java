package io.idembox.runtime;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetters;
import io.idembox.inbox.LetterRetry;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka consumer that records each message once and runs each effect once per business key.
 *
 * <pre>{@code
 * InboxConsumer consumer =
 *     InboxConsumer.builder()
 *         .name("billing")
 *         .kafka(Map.of("bootstrap.servers", "localhost:9092"))
 *         .dataSource(dataSource)
 *         .redis("redis://localhost:6379")
 *         .effects(new InvoiceMailEffect(smtp))
 *         .subscribe(Subscription.topics("orders").json(OrderCreated.class, new BillingHandler()))
 *         .build();
 * consumer.start();
 * }</pre>
 *
 * <p>Records are delivered at least once by Kafka, recorded once in the inbox, and each effect is
 * completed once per key while its record is kept. Thread-safe.
 */
public final class InboxConsumer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

  private final ConsumerSettings settings;
  private @Nullable RunningConsumer running;
  private boolean closed;

  InboxConsumer(ConsumerSettings settings) {
    this.settings = settings;
  }

  /** Begins the settings of a consumer. */
  public static InboxConsumerBuilder builder() {
    return new InboxConsumerBuilder();
  }

  /**
   * Checks every server, then begins to read.
   *
   * @throws StartRefusedException within 10 seconds, if a server cannot be reached or used, the
   *     schema is not the one that this version needs, or a subscribed topic does not exist;
   *     nothing was read
   * @throws IllegalStateException if the consumer was started or closed before
   */
  public synchronized void start() {
    if (running != null || closed) {
      throw new IllegalStateException(
          "Consumer " + settings.name() + " was started or closed before; build another one");
    }
    running = RunningConsumer.start(settings);
  }

  /**
   * Starts, then blocks until the process is asked to end (SIGTERM, Ctrl-C) or the consumer fails.
   * On SIGTERM the running batches finish within the shutdown budget, their offsets are committed
   * and the group is left. A second signal makes it {@linkplain #hurry() hurry}.
   *
   * @throws StartRefusedException as {@link #start()}
   * @throws ConsumerFailedException if the consumer ended by itself
   * @throws InterruptedException if the calling thread is interrupted; the consumer is closed
   */
  public void run() throws InterruptedException {
    start();
    Thread onExit = new Thread(this::close, settings.name() + "-shutdown");
    try {
      Runtime.getRuntime().addShutdownHook(onExit);
    } catch (IllegalStateException e) {
      log.info("The process was asked to end while consumer {} started", settings.name());
      close();
      return;
    }
    SecondSignal signals = new SecondSignal(this::hurry);
    try {
      started().awaitEnd();
    } finally {
      signals.close();
      close();
      try {
        Runtime.getRuntime().removeShutdownHook(onExit);
      } catch (IllegalStateException e) {
        log.debug("The process is ending, and the hook is what ended the wait");
      }
    }
  }

  /**
   * How many effects the journal still owes: pending, started or of unknown outcome, whoever of the
   * consumer's members asked for them.
   *
   * @throws IllegalStateException if the consumer is not running
   * @throws io.idembox.inbox.InboxException if the database cannot be asked
   */
  public long unsettledEffects() {
    return started().unsettledEffects();
  }

  /**
   * The names of effects that failed for twenty keys in a row: each is attempted once at a time,
   * and the rest of it waits, until one succeeds. Asks nobody.
   *
   * @throws IllegalStateException if the consumer was not started
   */
  public Set<String> slowedEffects() {
    return started().slowedEffects();
  }

  /**
   * The records that this consumer gave up: to list, show and discard them.
   *
   * @throws IllegalStateException if the consumer was not started
   */
  public DeadLetters deadLetters() {
    return started().deadLetters();
  }

  /**
   * Handles the record of a dead letter again, on the calling thread, and closes the letter in the
   * same transaction; then performs the effects that it asked for.
   *
   * @param replacement other bytes to handle, corrected by hand; null for the stored ones
   * @return what came of it; nothing ran if the letter is not open
   * @throws IllegalStateException if the consumer was not started
   * @throws Exception what the handler threw, unchanged; the letter stays open and counts it
   */
  public LetterRetry retryDeadLetter(long id, @Nullable DeadLetterContent replacement)
      throws Exception {
    return started().letterRetries().retry(id, replacement);
  }

  /**
   * An effect that was held is settled: handles the records that waited for it again, one after the
   * other.
   *
   * @return how many were handled; the others failed again, and their letters stay open
   * @throws IllegalStateException if the consumer was not started
   * @throws io.idembox.inbox.InboxException if the database cannot be asked
   */
  public int retryLettersHeldBy(EffectKey key) {
    return started().letterRetries().retryHeldBy(key);
  }

  /**
   * Lets no further batch of a partition begin; the one that runs ends. The others go on. It holds
   * until {@link #resume} and as long as this process lives, also when the partition goes away and
   * comes back, but not for another member that gets the partition. Its stall says {@link
   * Stall.Reason#PAUSED}. Takes effect within a poll.
   *
   * @param why is shown to those who look
   * @return false if this member does not own the partition; nothing is paused then
   * @throws IllegalStateException if the consumer was not started
   */
  public boolean pause(String topic, int partition, String why) {
    return started().pause(new TopicPartition(topic, partition), why);
  }

  /**
   * Ends a {@link #pause}.
   *
   * @return false if the partition was not paused here
   * @throws IllegalStateException if the consumer was not started
   */
  public boolean resume(String topic, int partition) {
    return started().resume(new TopicPartition(topic, partition));
  }

  /**
   * How the consumer stands: its loop, its partitions, and what does not move and why. Asks nobody.
   *
   * @throws IllegalStateException if the consumer was not started
   */
  public ConsumerStatus status() {
    return started().status();
  }

  /**
   * Reads ranges of the subscribed topics again, beside the live group. Works on a consumer that
   * was not started, and does not start it.
   *
   * @return the replay, which {@link Replay#run} begins
   */
  public Replay replay(ReplayPlan plan) {
    return new Replay(settings, null, plan);
  }

  /**
   * Builds the rows of another consumer anew, under this one's name: runs the handlers for each
   * record that this name has not handled, in the other's effect namespace. For a record that the
   * other has done, and that is no open dead letter there, {@code afterCommit} writes its intent as
   * finished and {@code once} gives the receipt that is kept, or what a {@link
   * io.idembox.effect.RebuildableEffect} says; else the record fails for good, naming the key.
   * Nothing happens twice, however old the record. Records that the other has not done are handled
   * as usual.
   *
   * <p>The name stays bound to the other: when this consumer is {@linkplain #start started} later,
   * the same holds. Run again, it goes on where it stopped. Works on a consumer that was not
   * started, and does not start it.
   *
   * @param of the name of the other consumer
   * @return the rebuild, which {@link Replay#run} begins; refused there if the database has no
   *     consumer {@code of}, it finds message ids by other rules, or this consumer's name is taken
   */
  public Replay rebuild(String of, ReplayPlan plan) {
    return new Replay(settings, Objects.requireNonNull(of, "of"), plan);
  }

  /**
   * Stops: running batches finish, their offsets are committed, the group is left; all within the
   * shutdown budget. Does nothing if the consumer is not running. Leaves the data source open.
   */
  @Override
  public void close() {
    RunningConsumer toClose;
    synchronized (this) {
      closed = true;
      toClose = running;
    }
    if (toClose != null) {
      toClose.close();
    }
  }

  /**
   * Makes a {@link #close()} that is under way wait no longer for what runs: its transactions are
   * rolled back or found again by the partitions' next owner, and are named in the log; what is
   * finished is committed. Does nothing before {@code close()}. For any thread.
   */
  public void hurry() {
    RunningConsumer toHurry;
    synchronized (this) {
      toHurry = running;
    }
    if (toHurry != null) {
      toHurry.hurry();
    }
  }

  private synchronized RunningConsumer started() {
    if (running == null) {
      throw new IllegalStateException("Consumer " + settings.name() + " is not started");
    }
    return running;
  }
}
