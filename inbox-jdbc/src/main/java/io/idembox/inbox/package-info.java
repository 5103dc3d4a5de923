/**
 * The transactional inbox on PostgreSQL: message identities, the bulk claim, the transaction that
 * handlers share with it, and the journal of effects owed. Start at {@link
 * io.idembox.inbox.JdbcInbox}.
 */
@NullMarked
package io.idembox.inbox;

import org.jspecify.annotations.NullMarked;
