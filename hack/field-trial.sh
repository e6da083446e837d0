#!/usr/bin/env bash
# What becomes of the kinds of kube in checkouts of projects: declared, generated untouched, and
# generated with `--keep-going`, each other kind with its reason. Nothing is downloaded and nothing
# is written: put the checkouts there yourself, one folder each, `owner+name` for `owner/name`, and
# run `cargo fetch` in those whose types lead into crates of a registry. docs/kube-rs.md has the
# figures of a run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 1 ]; then
  echo "usage: hack/field-trial.sh FOLDER..." >&2
  exit 2
fi
folders=()
for folder in "$@"; do
  folders+=("$(cd "$folder" && pwd)")
done
cd "$root"
cargo build --quiet -p genclient-codegen --example field-trial
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
"$target/debug/examples/field-trial" "${folders[@]}"
