package io.idembox.demo.lab;

import static io.idembox.demo.lab.Figure.DELIVERIES;
import static io.idembox.demo.lab.Figure.DUPLICATES;
import static io.idembox.demo.lab.Figure.MAILS;

import io.idembox.demo.InvoiceMail;
import io.idembox.demo.InvoiceMailEffect;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.RedisEffectStore;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;

/** Two jobs ask for the same invoice, under keys that are made of different things. */
final class KeyMadeOf implements Scenario {
  private static final InvoiceMail INVOICE =
      new InvoiceMail("order-9", "ann@shop.example", new BigDecimal("9.00"));

  @Override
  public int id() {
    return 3;
  }

  @Override
  public String name() {
    return "what the key is made of";
  }

  @Override
  public String note() {
    return "The article's library refused the colon, logged that, and sent unprotected.";
  }

  @Override
  public Found run(LabBench bench) throws SQLException, IOException {
    EffectKey.Operation invoice = EffectKey.of("mail.invoice");
    Figures one = Figures.of(DELIVERIES, 2).and(MAILS, 1);
    Figures two = Figures.of(DELIVERIES, 2).and(MAILS, 2);
    // A key that names the job is another key for each job: no guard can know better.
    Comparison byJob =
        new Comparison(
            "the job's id: job-1, job-2",
            two,
            two,
            work(bench, "job", invoice.id("job-1"), invoice.id("job-2")));
    Comparison byEffect =
        new Comparison(
            "the effect: mail.invoice, order-9",
            one,
            one,
            work(bench, "effect", invoice.id("order-9"), invoice.id("order-9")));
    // The article's library refused the colon, logged that, and sent the mail all the same.
    EffectKey colon = invoice.id("order-9:invoice");
    Comparison withColon =
        new Comparison(
            "a text with a colon: order-9:invoice",
            two,
            one.and(DUPLICATES, 0),
            work(bench, "colon", colon, colon));
    return new Found(withColon, List.of(byJob, byEffect));
  }

  private static Figures work(LabBench bench, String way, EffectKey first, EffectKey second)
      throws SQLException, IOException {
    try (Workplace place = bench.workplace("lab3-" + way);
        RedisEffectStore store = RedisEffectStore.connect(place.settings().redisUri());
        EffectGuard guard = EffectGuard.builder(store).namespace("lab3-" + way).build();
        InvoiceMailEffect mail = new InvoiceMailEffect(place.settings().mail())) {
      guard.once(mail, first, INVOICE);
      guard.once(mail, second, INVOICE);
      int mails = place.mail().arrived();
      return Figures.of(DELIVERIES, 2).and(MAILS, mails).and(DUPLICATES, mails - 1);
    }
  }
}
