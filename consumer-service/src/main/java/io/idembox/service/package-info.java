/**
 * The standalone process: one configuration file, handlers and effects from plug-ins, commands for
 * people, health and metrics for machines. Starts at {@link io.idembox.service.Idembox}.
 */
@NullMarked
package io.idembox.service;

import org.jspecify.annotations.NullMarked;
