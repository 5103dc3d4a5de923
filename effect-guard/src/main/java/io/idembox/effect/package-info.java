/** The effect guard: each external effect runs once per business key, whatever asked for it. */
@NullMarked
package io.idembox.effect;

import org.jspecify.annotations.NullMarked;
