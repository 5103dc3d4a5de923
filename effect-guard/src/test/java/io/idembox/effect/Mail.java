package io.idembox.effect;

/** A request of the tests' effects. */
record Mail(String to, int amount) {}
