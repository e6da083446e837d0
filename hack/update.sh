#!/usr/bin/env bash
# Regenerates the clients and CRDs of the examples. Arguments go to `genclient update`.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet -p codegen -- update "$@"
