#!/usr/bin/env bash
# Checks that only comments, docs and string literals have changed since a git revision (default:
# HEAD). Compares the tokens of each changed Rust file, and prints the first difference of each.
#
#   hack/same-code.sh [REVISION]
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet -p genclient-codegen --example same-code -- "${1:-HEAD}"
