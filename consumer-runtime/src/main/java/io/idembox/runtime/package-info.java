/** The Kafka consumer: handlers, the poll loop, lanes, retries and offsets. */
@NullMarked
package io.idembox.runtime;

import org.jspecify.annotations.NullMarked;
