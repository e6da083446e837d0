#!/usr/bin/env bash
# Runs tests of plain data under Miri: the cache, what waits for handlers, the JSON that is pruned and read, pauses, delayed keys.
#
# The crate forbids unsafe code, so this says little of its own: it looks for undefined behaviour in the crates that it uses, in
# the way it uses them (hashbrown, slab, parking_lot, memchr, serde_json, tokio's clock and wakers). Sockets, loom and tests of
# thousands of cases or of threads that sleep are left out: Miri cannot run them, or not in minutes. It needs the nightly
# toolchain, which is why CI does not run it.
set -euo pipefail
cd "$(dirname "$0")/.."
rustup toolchain install nightly --profile minimal --component miri,rust-src --no-self-update
tests=(
  cache::tests informer::backlog_tests reflector::backoff reflector::decode reflector::lines reflector::prune
  workqueue::tests::delaying workqueue::tests::priority::scripts
)
# Without TLS, which is C and assembly; with the clock and the environment of the machine.
MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p genclient --lib --locked --target-dir target/miri \
  --no-default-features --features client,leader-election -- "${tests[@]}"
