package io.idembox.runtime;

import io.idembox.inbox.MessageIdentity;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * One span for each message that a handler processes, with a link to the context in which its
 * producer sent it: the header {@code traceparent} of W3C Trace Context. Names and attributes
 * follow OpenTelemetry's messaging conventions, which are still in development.
 */
final class ProcessSpans {
  private static final TextMapGetter<FetchedRecord> HEADERS =
      new TextMapGetter<>() {
        // Abstract still, though deprecated: nobody calls it.
        @Override
        @SuppressWarnings("deprecation")
        public Iterable<String> keys(FetchedRecord fetched) {
          return List.of("traceparent", "tracestate");
        }

        @Override
        public @Nullable String get(@Nullable FetchedRecord fetched, String name) {
          Header header = fetched == null ? null : fetched.record().headers().lastHeader(name);
          return header == null || header.value() == null
              ? null
              : new String(header.value(), StandardCharsets.US_ASCII);
        }
      };

  private final @Nullable Tracer tracer;
  private final String groupId;

  ProcessSpans(OpenTelemetry telemetry, String groupId) {
    // Nothing is built for nobody: a replay handles hundreds of thousands of records a second.
    this.tracer =
        telemetry.equals(OpenTelemetry.noop()) ? null : telemetry.getTracer("io.idembox.runtime");
    this.groupId = groupId;
  }

  /** What runs inside a span. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  // The scope is there to be closed, not to be used.
  @SuppressWarnings("try")
  void around(FetchedRecord fetched, MessageIdentity.Known identity, Work work) throws Exception {
    if (tracer == null) {
      work.run();
      return;
    }
    Span span = begin(tracer, fetched, identity);
    try (Scope current = span.makeCurrent()) {
      work.run();
    } catch (Throwable e) {
      span.setStatus(StatusCode.ERROR, Causes.summary(e));
      throw e;
    } finally {
      span.end();
    }
  }

  private Span begin(Tracer with, FetchedRecord fetched, MessageIdentity.Known identity) {
    SpanBuilder span =
        with.spanBuilder("process " + fetched.topic())
            .setSpanKind(SpanKind.CONSUMER)
            .setNoParent()
            .setAttribute("messaging.system", "kafka")
            .setAttribute("messaging.operation.name", "process")
            .setAttribute("messaging.operation.type", "process")
            .setAttribute("messaging.destination.name", fetched.topic())
            .setAttribute(
                "messaging.destination.partition.id", Integer.toString(fetched.partition()))
            .setAttribute("messaging.consumer.group.name", groupId)
            .setAttribute("messaging.kafka.offset", fetched.offset())
            .setAttribute("messaging.message.id", identity.id().toString());
    if (fetched.value() == null) {
      span.setAttribute("messaging.kafka.message.tombstone", true);
    }
    SpanContext producer =
        Span.fromContext(
                W3CTraceContextPropagator.getInstance().extract(Context.root(), fetched, HEADERS))
            .getSpanContext();
    if (producer.isValid()) {
      span.addLink(producer);
    }
    return span.startSpan();
  }
}
