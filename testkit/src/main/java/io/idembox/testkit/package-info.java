/**
 * Real Kafka, PostgreSQL and Redis for tests and demos, from Maven artifacts or from containers.
 *
 * <p>Start with {@link io.idembox.testkit.EmbeddedServers} for all three, or with one of {@link
 * io.idembox.testkit.EmbeddedKafka}, {@link io.idembox.testkit.EmbeddedPostgres} and {@link
 * io.idembox.testkit.EmbeddedRedis}; in JUnit tests with {@link io.idembox.testkit.WithServers}.
 *
 * <p>The servers listen on the loopback address only. Their processes and temporary folders go when
 * they are closed, and on Linux and macOS also when this process ends without closing them, however
 * it ends.
 */
@NullMarked
package io.idembox.testkit;

import org.jspecify.annotations.NullMarked;
