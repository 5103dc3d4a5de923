package io.idembox.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that must come back on the same port after a stop.
 *
 * <p>They are taken from below the range that the system uses for outgoing connections: a port from
 * that range could be lost to any client while the server is down.
 *
 * <p>A port that is free now may be taken before the server binds it. Test processes that run side
 * by side have process ids near each other, and begin in different parts of the range.
 */
final class FreePorts {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST =
      22_000; // plus 10,000, Redis Cluster's default bus port, stays below 32,768
  private static final int TRIES = 200;
  private static final int PARTS = 20;
  private static final int PART = (HIGHEST - LOWEST) / PARTS;
  private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  /** A loopback port that was free a moment ago and that this process has not handed out before. */
  static int next() {
    int ours = LOWEST + (int) (ProcessHandle.current().pid() % PARTS) * PART;
    for (int i = 0; i < TRIES; i++) {
      // Once most of ours are used up, any will do.
      int port =
          i < TRIES / 2
              ? ThreadLocalRandom.current().nextInt(ours, ours + PART)
              : ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (HANDED_OUT.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new TestkitException(
        "No free port between " + LOWEST + " and " + HIGHEST + " after " + TRIES + " tries");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
