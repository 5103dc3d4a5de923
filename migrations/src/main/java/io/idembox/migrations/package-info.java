/**
 * The database schema of Idembox as SQL, and the class that applies or checks it. Start at {@link
 * io.idembox.migrations.IdemboxSchema}.
 */
@NullMarked
package io.idembox.migrations;

import org.jspecify.annotations.NullMarked;
