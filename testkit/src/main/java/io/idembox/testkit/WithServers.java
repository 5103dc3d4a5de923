package io.idembox.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a JUnit class real servers through a {@link TestScope}: as a parameter of a
 * constructor, test or life-cycle method, or as a field that is set before each test.
 *
 * <p>One set of servers serves all tests of the run. A server starts when the first test asks its
 * scope for it; those named here start in the background, at the same time, before the class's
 * first test.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(IdemboxServers.class)
public @interface WithServers {
  /** The servers that this class will use; a hint that makes them start early and together. */
  Server[] value() default {};

  /** The servers there are. */
  enum Server {
    /** The broker. */
    KAFKA,
    /** The database server. */
    POSTGRES,
    /** The Redis server. */
    REDIS
  }
}
