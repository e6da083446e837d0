#!/usr/bin/env bash
# Compares the public API of the library crates with a git revision (default: the newest tag, which
# is the last release), with cargo-semver-checks. Fails if a change requires a higher version than
# Cargo.toml has. Succeeds without a comparison if there is no tag.
#
#   hack/semver.sh [REVISION]
#
# The first run installs cargo-semver-checks below ${XDG_CACHE_HOME:-~/.cache}/genclient.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.51.0
root=${XDG_CACHE_HOME:-$HOME/.cache}/genclient/cargo-semver-checks-$version
baseline=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$baseline" ]; then
  echo "no release to compare with"
  exit
fi
[ -x "$root/bin/cargo-semver-checks" ] ||
  cargo install --locked --root "$root" --version "$version" cargo-semver-checks
"$root/bin/cargo-semver-checks" semver-checks --workspace --baseline-rev "$baseline" --features k8s-openapi/v1_36
