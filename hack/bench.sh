#!/usr/bin/env bash
# Benchmarks genclient and its peers (client-go, controller-runtime, code-generator, kube-rs) in one
# run on one machine, and prints Markdown tables.
#
#   hack/bench.sh                     all parts, to stdout
#   hack/bench.sh --write             all parts, into docs/speed.md and README.md; then run
#                                     hack/plots.sh
#   hack/bench.sh generate --runs 3   one part, each measurement three times
#   hack/bench.sh --help              all options
#
# Parts: generate, compile, informer, controller, recovery, workqueue, apiserver.
#
# Needs cargo, Go, Python 3 and a network. Peers are installed once, below
# ${XDG_CACHE_HOME:-~/.cache}/genclient. Nothing else should run on the machine meanwhile.
# On two cores, `generate` and `compile` take ten minutes or more, without the installation. Slow
# peers are measured less often than `--runs`; each figure has its number of runs. One run of
# `recovery` takes about four minutes, most of it in outages.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in cargo go python3; do
  command -v "$tool" >/dev/null || { echo "bench.sh needs $tool" >&2; exit 2; }
done
PYTHONDONTWRITEBYTECODE=1 exec python3 hack/bench/main.py "$@"
