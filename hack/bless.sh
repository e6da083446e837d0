#!/usr/bin/env bash
# Rewrites the expected output of the tests `golden`, `ui`, `cli` and `invalid` (macros/syntax) with
# their current output, and the generated reference pages in docs/. Prints the changed files and
# exits with the code of the last test run that failed. Read the diff before you commit it.
#
#   hack/bless.sh
set -euo pipefail
cd "$(dirname "$0")/.."
result=0
export UPDATE_EXPECT=1 TRYBUILD=overwrite TRYCMD=overwrite
cargo test -p genclient-syntax --test invalid || result=$?
cargo test -p tests --no-fail-fast --test golden --test ui --test cli --test freshness || result=$?
git status --short -- tests macros docs
git diff --stat -- tests macros docs
exit "$result"
