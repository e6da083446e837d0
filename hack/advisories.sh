#!/usr/bin/env bash
# Looks up the dependencies in the RustSec advisory database, which it downloads; CI has no network for that.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo deny check advisories
