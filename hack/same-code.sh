#!/usr/bin/env bash
# Says whether comments, documentation and texts alone have changed since a revision, by default the
# last commit: compares the tokens of every changed Rust file. `hack/same-code.sh [REVISION]`
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet -p genclient-codegen --example same-code -- "${1:-HEAD}"
