#!/usr/bin/env bash
# Measures the guard beside plain Redis commands: effect-guard/bench.sh [--redis URI] [--json FILE] [--quick] [--latency] [--cpu]
# --latency measures one caller alone: claim, complete and replay, beside the plain pair. --cpu measures what an effect costs
# the processor, here and in Redis, in bulks and one by one.
# Without --redis it starts a server of its own. Nothing else should run on the machine meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
classpath=$(mktemp)
trap 'rm -f "$classpath"' EXIT
mvn -q -B -pl effect-guard -am test-compile dependency:build-classpath -DincludeScope=test \
  -Dmdep.outputFile="$classpath" -Dspotless.check.skip >&2
# The log would write a line for each skip, as it should; here it would be measured too.
java -Xmx1g -Dlogback.configurationFile=bench-logback.xml \
  -cp "effect-guard/target/test-classes:effect-guard/target/classes:$(cat "$classpath")" \
  io.idembox.effect.bench.GuardBenchmark "$@"
