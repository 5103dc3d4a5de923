/** The database schema of Idembox, and the class that applies or checks it. */
@NullMarked
package io.idembox.migrations;

import org.jspecify.annotations.NullMarked;
