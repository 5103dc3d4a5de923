package io.idembox.effect;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What a process is called to others by default. */
final class OwnerLabel {
  private OwnerLabel() {}

  static String ofThisProcess() {
    return host() + "/" + ProcessHandle.current().pid();
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
