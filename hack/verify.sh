#!/usr/bin/env bash
# Fails with a diff if a generated file of this workspace is out of date. Writes nothing. Arguments
# are passed to `genclient verify`.
#
#   hack/verify.sh [ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet -p codegen -- verify "$@"
