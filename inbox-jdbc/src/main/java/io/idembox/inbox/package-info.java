/** The transactional inbox and the effect journal on PostgreSQL. */
@NullMarked
package io.idembox.inbox;

import org.jspecify.annotations.NullMarked;
