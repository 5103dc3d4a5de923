/** A ledger and invoice mailer built on the public API alone, as a user would write it. */
@NullMarked
package io.idembox.demo;

import org.jspecify.annotations.NullMarked;
