#!/usr/bin/env bash
# Checks all dependencies against the RustSec advisory database. Needs cargo-deny on the PATH and a
# network, to download the database. CI does not run it.
#
#   hack/advisories.sh
set -euo pipefail
cd "$(dirname "$0")/.."
cargo deny check advisories
