#!/usr/bin/env bash
# Round trip of `genclient import`: imports each CRD of a folder into its own package, generates a
# CRD from the types with `update`, and prints a table with the differences.
#
#   hack/import-trial.sh FOLDER [--check]
#
# With --check, it also imports all CRDs into one package, which has to pass rustfmt, clippy and
# rustdoc without warnings. The script downloads nothing. docs/import.md has the results of a run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "usage: hack/import-trial.sh FOLDER [--check]" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
cd "$root"
cargo build --quiet -p cargo-genclient --bin genclient
cargo build --quiet -p genclient-codegen --example import-trial
target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
result=0
"$target/debug/examples/import-trial" "$target/debug/genclient" "$folder" || result=$?
if [ "${2:-}" = --check ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir "$work/pkg"
    echo "//! Imported types." >"$work/pkg/lib.rs"
    cp Cargo.lock "$work/"
    cat >"$work/Cargo.toml" <<MANIFEST
[package]
name = "imported"
version = "0.1.0"
edition = "2024"

[lib]
path = "pkg/lib.rs"

[workspace]

[lints.rust]
missing_docs = "warn"

[dependencies]
genclient = { path = "$root/runtime" }
k8s-openapi = { version = "0.29", features = ["v1_36"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"

[package.metadata.genclient]
MANIFEST
    cd "$work"
    "$target/debug/genclient" import --quiet "$folder"
    # The module of the clients is missing because `update` does not run here.
    sed -i '/^pub mod client;$/d' pkg/lib.rs
    find pkg -name '*.rs' -print0 | xargs -0 rustfmt --edition 2024 --check
    cargo clippy --offline --target-dir "$target/imported" -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --offline --target-dir "$target/imported"
    files=$(find "$folder" -name '*.y*ml' | wc -l)
    lines=$(find pkg -name '*.rs' -exec cat {} + | wc -l)
    allowed=$(grep -rl '^#!\[allow(' pkg | wc -l)
    echo "no warnings of rustfmt, clippy and rustdoc: $lines lines of $files files"
    echo "$allowed of $(find pkg -name '*.rs' | wc -l) Rust files allow a lint;" \
        "stated schemas: $(grep -rc 'so it is stated here' pkg | awk -F: '{ n += $2 } END { print n }')"
fi
exit "$result"
