#!/usr/bin/env bash
# Measures the consumer: consumer-runtime/figures.sh [rewind|idle|stuck|heap|keys]...   (default: all five)
# Each figure is one line of JSON. RECORDS=1000000 sets how many records rewind and heap take.
# It starts Kafka and PostgreSQL of its own; nothing else should run on the machine meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
classpath=$(mktemp)
trap 'rm -f "$classpath"' EXIT
mvn -q -B -pl consumer-runtime -am test-compile dependency:build-classpath -DincludeScope=test \
  -Dmdep.outputFile="$classpath" -Dspotless.check.skip >&2
java -Xmx1g -Drecords="${RECORDS:-1000000}" \
  -cp "consumer-runtime/target/test-classes:consumer-runtime/target/classes:$(cat "$classpath")" \
  io.idembox.runtime.RuntimeFigures "$@" | grep --line-buffered '^FIGURE' | sed -u 's/^FIGURE //'
