#!/usr/bin/env bash
# Measures the inbox beside statements written by hand: inbox-jdbc/bench.sh [--json FILE] [--quick]
# Starts a server of its own and exits 1 when a figure misses its target. Nothing else should run on the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
classpath=$(mktemp)
trap 'rm -f "$classpath"' EXIT
mvn -q -B -pl inbox-jdbc -am test-compile dependency:build-classpath -DincludeScope=test \
  -Dmdep.outputFile="$classpath" -Dspotless.check.skip >&2
java -Xmx1g -Dlogback.configurationFile=bench-logback.xml \
  -cp "inbox-jdbc/target/test-classes:inbox-jdbc/target/classes:$(cat "$classpath")" \
  io.idembox.inbox.bench.InboxBenchmark "$@"
