package io.idembox.testkit;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The JUnit extension behind {@link WithServers}, for JUnit 5.13 and later.
 *
 * <p>A test method, the constructor, {@code @BeforeEach} and {@code @AfterEach} methods around it
 * and the fields of that type share one {@link TestScope}. A parameter of {@code @BeforeAll} or
 * {@code @AfterAll} and a static field get the class's scope, which is another one and stays until
 * the class is done.
 */
public final class IdemboxServers
    implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(IdemboxServers.class);

  /** Called by JUnit. */
  public IdemboxServers() {}

  @Override
  public void beforeAll(ExtensionContext context) throws IllegalAccessException {
    Class<?> type = context.getRequiredTestClass();
    Optional<WithServers> hint = AnnotationSupport.findAnnotation(type, WithServers.class);
    if (hint.isPresent()) {
      for (WithServers.Server server : hint.get().value()) {
        servers(context).startInBackground(server);
      }
    }
    setFields(type, null, context);
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IllegalAccessException {
    for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
      setFields(instance.getClass(), instance, context);
    }
  }

  /** Makes a constructor's parameter the test's own, not the class's. */
  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(
      ExtensionContext rootContext) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestScope.class;
  }

  @Override
  public TestScope resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return scope(context);
  }

  private static void setFields(Class<?> type, @Nullable Object instance, ExtensionContext context)
      throws IllegalAccessException {
    for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
      for (Field field : declaring.getDeclaredFields()) {
        if (field.getType() == TestScope.class
            && Modifier.isStatic(field.getModifiers()) == (instance == null)) {
          field.setAccessible(true);
          field.set(instance, scope(context));
        }
      }
    }
  }

  // A store shows its parents' entries too: the context's own id keeps a test from finding its
  // class's scope.
  private static synchronized TestScope scope(ExtensionContext context) {
    Store store = context.getStore(NAMESPACE);
    HeldScope held = store.get(context.getUniqueId(), HeldScope.class);
    if (held == null) {
      held = new HeldScope(new TestScope(servers(context)));
      store.put(context.getUniqueId(), held);
    }
    return held.scope();
  }

  // get and put: the store's own compute methods have other names in JUnit 5 and 6.
  private static synchronized SharedServers servers(ExtensionContext context) {
    Store store = context.getRoot().getStore(NAMESPACE);
    SharedServers servers = store.get(SharedServers.class, SharedServers.class);
    if (servers == null) {
      servers = new SharedServers();
      store.put(SharedServers.class, servers);
    }
    return servers;
  }

  /** Closed by JUnit when the context ends; a scope itself offers no close to the test. */
  private record HeldScope(TestScope scope) implements AutoCloseable {
    @Override
    public void close() {
      scope.close();
    }
  }
}
