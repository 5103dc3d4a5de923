/**
 * Real Kafka, PostgreSQL and Redis for tests and demos, from Maven artifacts or from containers.
 */
@NullMarked
package io.idembox.testkit;

import org.jspecify.annotations.NullMarked;
