/**
 * What the programs that drive the ledger mailer stand on: a mail server, processes that are
 * killed, waiting, progress. Start at {@link io.idembox.demo.stage.WorkerProcess}.
 */
@NullMarked
package io.idembox.demo.stage;

import org.jspecify.annotations.NullMarked;
