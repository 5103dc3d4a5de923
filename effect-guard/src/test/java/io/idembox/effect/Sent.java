package io.idembox.effect;

/** A receipt of the tests' effects. */
record Sent(String id) {}
