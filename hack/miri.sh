#!/usr/bin/env bash
# Runs unit tests of the runtime under Miri: cache, handler backlog, backoff, decoding and pruning
# of JSON, delaying and priority queues.
#
#   hack/miri.sh
#
# The runtime forbids unsafe code. Miri looks for undefined behavior in its dependencies, as the
# runtime uses them: hashbrown, slab, parking_lot, memchr, serde_json, tokio's clock and wakers.
# Tests with sockets, loom, thousands of cases or sleeping threads are left out: Miri cannot run
# them, or takes too long. CI does not run this script because it needs the nightly toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
rustup toolchain install nightly --profile minimal --component miri,rust-src --no-self-update
tests=(
  cache::tests informer::backlog_tests reflector::backoff reflector::decode reflector::lines reflector::prune
  workqueue::tests::delaying workqueue::tests::priority::scripts
)
# Without TLS: Miri cannot run its C and assembly. Isolation is off because tests read the clock and
# the environment.
MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p genclient --lib --locked --target-dir target/miri \
  --no-default-features --features client,leader-election -- "${tests[@]}"
