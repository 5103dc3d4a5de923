/**
 * The lab: six situations from two public articles, run for real, with the articles' figures beside
 * ours. Start at {@link io.idembox.demo.lab.Lab}; each scenario is a class of its own.
 */
@NullMarked
package io.idembox.demo.lab;

import org.jspecify.annotations.NullMarked;
