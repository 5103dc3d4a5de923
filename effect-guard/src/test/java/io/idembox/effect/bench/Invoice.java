package io.idembox.effect.bench;

/** The benchmark's request. */
record Invoice(String order, int amount) {}
