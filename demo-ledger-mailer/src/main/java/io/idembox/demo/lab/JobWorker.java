package io.idembox.demo.lab;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idembox.demo.InvoiceMail;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.demo.LedgerMailerSettings;
import io.idembox.demo.OrderCreated;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.RedisEffectStore;
import java.nio.file.Path;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A worker as people write them: takes a job from a queue, sends a mail, acks. With an effect key
 * around the mail, or without.
 */
final class JobWorker {
  private static final JsonMapper JSON = new JsonMapper();

  private JobWorker() {}

  /** Sends the mail of an order. */
  private interface Job {
    void run(OrderCreated order) throws Exception;
  }

  /**
   * Works a topic off.
   *
   * @param args the settings file; the topic; {@code plain} or {@code guarded}; {@code halt} to
   *     stand still in front of the first ack
   */
  public static void main(String[] args) throws Exception {
    LedgerMailerSettings settings = LedgerMailerSettings.read(Path.of(args[0]));
    String topic = args[1];
    boolean halt = args.length > 3 && args[3].equals("halt");
    if (args[2].equals("plain")) {
      try (PlainMailer mailer = new PlainMailer(settings.mail())) {
        work(settings, topic, order -> mailer.send(new InvoiceMail(order)), halt);
      }
      return;
    }
    try (RedisEffectStore store = RedisEffectStore.connect(settings.redisUri());
        EffectGuard guard = EffectGuard.builder(store).namespace(topic).build();
        InvoiceMailEffect mail = new InvoiceMailEffect(settings.mail())) {
      work(
          settings,
          topic,
          order ->
              guard.once(mail, EffectKey.of("mail.invoice").id(order.id()), new InvoiceMail(order)),
          halt);
    }
  }

  private static void work(LedgerMailerSettings settings, String topic, Job job, boolean halt)
      throws Exception {
    try (TopicReader queue = new TopicReader(settings.bootstrapServers(), topic, topic)) {
      for (var jobs = queue.next(); !jobs.isEmpty(); jobs = queue.next()) {
        for (ConsumerRecord<byte[], byte[]> record : jobs) {
          LabLines.say("delivered " + record.offset());
          job.run(JSON.readValue(record.value(), OrderCreated.class));
          if (halt) {
            LabLines.sayAndStandStill("before the ack");
          }
        }
        queue.ack();
      }
    }
  }
}
