#!/usr/bin/env bash
# Regenerates the clients and manifests of this workspace: those of the examples and of
# tests/e2e/fixture. Arguments are passed to `genclient update`.
#
#   hack/update.sh [ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet -p codegen -- update "$@"
