#!/usr/bin/env bash
# Measures this project beside its peers, in one run on one machine, and prints tables.
#   hack/bench.sh                     everything, to stdout
#   hack/bench.sh --write             everything, into docs/speed.md; then run hack/plots.sh
#   hack/bench.sh generate --runs 3   one part: generate, compile, informer, controller, recovery,
#                                     workqueue, apiserver
# Needs Go, Python 3 and a network for what it installs once below
# ${XDG_CACHE_HOME:-~/.cache}/genclient. Nothing else should run meanwhile. Without what is built
# once, `generate` and `compile` take ten minutes and more on two cores: slow peers run less often,
# and every figure says how often. A run of `recovery` takes about four minutes: it waits for the
# outages.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in cargo go python3; do
  command -v "$tool" >/dev/null || { echo "bench.sh needs $tool" >&2; exit 2; }
done
PYTHONDONTWRITEBYTECODE=1 exec python3 hack/bench/main.py "$@"
