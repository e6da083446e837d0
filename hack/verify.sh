#!/usr/bin/env bash
# Fails, with a diff, if a generated file of the examples is out of date. Writes nothing. Arguments go to `genclient verify`.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet -p codegen -- verify "$@"
