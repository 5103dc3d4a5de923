/**
 * Runs the ledger mailer under fire and counts what came of it. Start at {@link
 * io.idembox.demo.run.DemoRun}.
 */
@NullMarked
package io.idembox.demo.run;

import org.jspecify.annotations.NullMarked;
