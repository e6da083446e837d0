#!/usr/bin/env bash
# Runs the generator on checkouts of projects that use kube's `#[derive(CustomResource)]`. Prints a
# table with the number of kinds of each project: declared, generated from unchanged sources, and
# generated with `--keep-going`. Lists every other kind with the reason.
#
#   hack/field-trial.sh FOLDER...
#
# Each folder is a checkout, named `owner+name` for the repository `owner/name`. The script
# downloads nothing and writes nothing into the folders. Run `cargo fetch` in checkouts whose types
# use types of registry crates. docs/kube-rs.md has the results of a run.
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
