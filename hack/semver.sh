#!/usr/bin/env bash
# Compares the public API of the published crates with that of a revision: by default the last release, which is the newest tag.
# Fails if a change needs a higher version than Cargo.toml has. `hack/semver.sh [REVISION]`
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.51.0
root=${XDG_CACHE_HOME:-$HOME/.cache}/genclient/cargo-semver-checks-$version
baseline=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$baseline" ]; then
  echo "there is no release to compare with"
  exit
fi
[ -x "$root/bin/cargo-semver-checks" ] ||
  cargo install --locked --root "$root" --version "$version" cargo-semver-checks
"$root/bin/cargo-semver-checks" semver-checks --workspace --baseline-rev "$baseline" --features k8s-openapi/v1_36
