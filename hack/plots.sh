#!/usr/bin/env bash
# Plots tables of docs/speed.md as docs/plots/*.svg. Needs Python 3; the first run installs
# matplotlib below ${XDG_CACHE_HOME:-~/.cache}/genclient and needs a network.
#
#   hack/plots.sh
set -euo pipefail
cd "$(dirname "$0")/.."
version=3.11.2
root=${XDG_CACHE_HOME:-$HOME/.cache}/genclient/matplotlib-$version
if [ ! -e "$root/ready" ]; then
  python3 -m venv "$root"
  "$root/bin/pip" install --quiet --disable-pip-version-check "matplotlib==$version"
  touch "$root/ready"
fi
PYTHONDONTWRITEBYTECODE=1 exec "$root/bin/python" hack/bench/plots.py
