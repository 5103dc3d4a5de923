package com.example.billing;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectRejectedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks an invoice service for an invoice, by HTTP. */
public final class InvoiceEffect implements Effect<Invoice, Receipt> {
  public static final EffectName<Invoice, Receipt> NAME =
      EffectName.of("invoice", Invoice.class, Receipt.class);

  /** The section {@code config} of the effect. */
  public record Config(URI url) {}

  private final URI url;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  public InvoiceEffect(Config config) {
    this.url = config.url();
  }

  @Override
  public EffectName<Invoice, Receipt> name() {
    return NAME;
  }

  @Override
  public Receipt perform(Invoice invoice, EffectAttempt attempt) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(Duration.ofSeconds(10))
            // The same on every attempt: a service that knows such keys never makes two invoices.
            .header("Idempotency-Key", attempt.providerKey().toString())
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    invoice.orderId() + " " + invoice.amount() + " " + invoice.currency()))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() == 422) {
      // Declared for good: nobody tries again.
      throw new EffectRejectedException("the invoice service refuses " + invoice.orderId());
    }
    if (answer.statusCode() != 200) {
      // Unknown outcome: the effect's policy decides.
      throw new IOException("the invoice service answered " + answer.statusCode());
    }
    return new Receipt(answer.body());
  }
}
