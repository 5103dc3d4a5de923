package io.idembox.demo.internal;

/** Stands in a package that a user's code must not use: see the architecture test. */
public final class Planted {}
