package io.idembox.service;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Refusals of the server itself, such as of a request that is none: JSON too, and nothing else. */
final class HttpErrors extends ErrorHandler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String error = String.valueOf(HttpStatus.getMessage(response.getStatus()));
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, HttpApi.JSON);
    byte[] body = (Json.pretty(Map.of("error", error)) + "\n").getBytes(StandardCharsets.UTF_8);
    response.write(true, ByteBuffer.wrap(body), callback);
    return true;
  }
}
