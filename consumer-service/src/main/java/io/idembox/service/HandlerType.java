package io.idembox.service;

import io.idembox.runtime.BatchInboxHandler;
import io.idembox.runtime.InboxHandler;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds out which values a handler takes, so that nobody has to write it down twice. */
final class HandlerType {
  private HandlerType() {}

  /**
   * The {@code T} of {@code InboxHandler<T>} or {@code BatchInboxHandler<T>}, where it is a class.
   *
   * @throws TypeNotPresentException if that class is in no jar
   */
  static Optional<Class<?>> of(Class<?> handler) {
    for (Class<?> type = handler; type != null; type = type.getSuperclass()) {
      for (Type role : supertypes(type)) {
        if (role instanceof ParameterizedType parameterized
            && (parameterized.getRawType() == InboxHandler.class
                || parameterized.getRawType() == BatchInboxHandler.class)) {
          return Optional.ofNullable(raw(parameterized.getActualTypeArguments()[0]));
        }
      }
    }
    return Optional.empty();
  }

  private static List<Type> supertypes(Class<?> type) {
    List<Type> found = new ArrayList<>();
    for (Type next : type.getGenericInterfaces()) {
      found.add(next);
      if (next instanceof Class<?> plain) {
        found.addAll(supertypes(plain));
      }
    }
    return found;
  }

  private static @Nullable Class<?> raw(Type type) {
    if (type instanceof Class<?> plain) {
      return plain;
    }
    return type instanceof ParameterizedType parameterized
        ? (Class<?>) parameterized.getRawType()
        : null;
  }
}
