#!/usr/bin/env bash
# Renders docs/flow.d2 as docs/flow.svg. Needs Go; the first run installs d2 below
# ${XDG_CACHE_HOME:-~/.cache}/genclient and needs a network.
#
#   hack/flow.sh
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.7.2
root=${XDG_CACHE_HOME:-$HOME/.cache}/genclient/d2-$version
[ -x "$root/d2" ] || GOBIN=$root go install "oss.terrastruct.com/d2@v$version"
"$root/d2" --elk-nodeNodeBetweenLayers 20 --elk-padding '[top=40,left=20,bottom=20,right=20]' \
  docs/flow.d2 docs/flow.svg
chmod 644 docs/flow.svg
