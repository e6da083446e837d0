#!/usr/bin/env bash
# Imports each CRD of a folder into a package of its own, runs `update`, and prints a table of what
# came back. With --check it imports all of them into one package as well, which cargo compiles with
# clippy's and rustdoc's lints. Nothing is downloaded: put the CRDs into the folder yourself.
# docs/import.md has the figures of a run.
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
    # The clients are not generated here.
    sed -i '/^pub mod client;$/d' pkg/lib.rs
    find pkg -name '*.rs' -print0 | xargs -0 rustfmt --edition 2024 --check
    cargo clippy --offline --target-dir "$target/imported" -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --offline --target-dir "$target/imported"
    files=$(find "$folder" -name '*.y*ml' | wc -l)
    lines=$(find pkg -name '*.rs' -exec cat {} + | wc -l)
    allowed=$(grep -rl '^#!\[allow(' pkg | wc -l)
    echo "no warnings of rustfmt, clippy and rustdoc: $lines lines of $files files"
    echo "$allowed of $(find pkg -name '*.rs' | wc -l) Rust files allow a lint;" \
        "stated schemas: $(grep -rc 'Its schema is stated' pkg | awk -F: '{ n += $2 } END { print n }')"
fi
exit "$result"
