#!/usr/bin/env bash
# Takes what the golden, ui and cli tests see now as what they expect, and writes the reference pages in docs/. Read the diff before you commit it.
set -euo pipefail
cd "$(dirname "$0")/.."
result=0
export UPDATE_EXPECT=1 TRYBUILD=overwrite TRYCMD=overwrite
cargo test -p genclient-syntax --test invalid || result=$?
cargo test -p tests --no-fail-fast --test golden --test ui --test cli --test freshness || result=$?
git status --short -- tests macros docs
git diff --stat -- tests macros docs
exit "$result"
