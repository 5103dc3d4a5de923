package io.idembox.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

/** How answers are written as JSON, for commands and for the API alike. */
final class Json {
  static final JsonMapper MAPPER =
      JsonMapper.builder()
          // By name: what else stands on somebody's class path must not decide how answers look.
          .addModule(new JavaTimeModule())
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .build();

  private Json() {}

  static String pretty(Object answer) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(answer);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("An answer of ours cannot be written as JSON", e);
    }
  }
}
