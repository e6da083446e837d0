#!/usr/bin/env bash
# Runs controller-runtime's own suites, unpatched, on kube-apiserver and on the API server in the
# process. Prints a table: the specs of each package, and how many of them pass on each server.
# Prints the specs that pass on kube-apiserver alone, and exits with 1 if there are any.
#
#   hack/peers.sh [PACKAGE...]
#
# A package is a folder below `pkg`, such as `client`. Without arguments, all packages that start an
# API server are tested. The suites use an existing cluster (`USE_EXISTING_CLUSTER`); every suite
# gets a server of its own. Needs Go, and about half an hour. docs/testing.md has the results of a
# run.
set -euo pipefail
export LC_ALL=C
version=v0.25.2
cd "$(dirname "$0")/.."
KUBEBUILDER_ASSETS=${KUBEBUILDER_ASSETS:-$(hack/control-plane.sh)}
export KUBEBUILDER_ASSETS
cargo build --quiet -p genclient-apiserver --features cli --bin genclient-apiserver
cargo build --quiet -p e2e --bin control-plane
programs=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug

work=$(mktemp -d)
server=
stop() {
  if [ -n "$server" ]; then
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
    server=
  fi
}
trap 'stop; rm -rf "$work"' EXIT

# Starts a server of this kind, `real` or `ours`, and sets KUBECONFIG.
start() {
  export KUBECONFIG=
  : > "$work/out" # else the address of the server before would be read
  case $1 in
    real) "$programs/control-plane" > "$work/out" 2> "$work/$1.log" & ;;
    # Beside kube-apiserver runs no controller manager either.
    ours) "$programs/genclient-apiserver" --no-controllers > "$work/out" 2> "$work/$1.log" & ;;
  esac
  server=$!
  for _ in $(seq 600); do
    KUBECONFIG=$(sed -n '1s/^export KUBECONFIG=//;1p' "$work/out")
    if [ -n "$KUBECONFIG" ]; then
      return
    fi
    sleep 0.1
  done
  echo "the server does not start:" >&2
  cat "$work/$1.log" >&2
  exit 2
}

# The module is copied, since tests write files beside their sources.
module=$(cd "$work" && go mod download -json "sigs.k8s.io/controller-runtime@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$module" "$work/module"
chmod -R u+w "$work/module"
cd "$work/module"
if [ $# -eq 0 ]; then
  mapfile -t packages < <(grep -rl 'Environment{' --include='*_suite_test.go' pkg | xargs -n 1 dirname | sed 's|^pkg/||' | sort)
else
  packages=("$@")
fi

# Prints the names of the specs in a state of ginkgo's report, sorted.
specs() {
  python3 - "$1" "$2" << 'PYTHON'
import json, pathlib, sys

report = pathlib.Path(sys.argv[1])
suites = json.loads(report.read_text()) if report.exists() else []
specs = [spec for suite in suites for spec in suite["SpecReports"] or [] if spec["LeafNodeType"] == "It"]
wanted = [spec for spec in specs if sys.argv[2] == "all" and spec["State"] != "pending" or spec["State"] == sys.argv[2]]
print("\n".join(sorted(" ".join([*(spec["ContainerHierarchyTexts"] or []), spec["LeafNodeText"]]) for spec in wanted)))
PYTHON
}

printf '| package | specs | kube-apiserver | in the process |\n|---|---|---|---|\n'
touch "$work/lost"
for package in "${packages[@]}"; do
  name=${package//\//-}
  go test -c -o "$work/$name.test" "./pkg/$package"
  for kind in real ours; do
    start "$kind"
    (cd "pkg/$package" && USE_EXISTING_CLUSTER=true timeout 1800 "$work/$name.test" --ginkgo.json-report="$work/$name.$kind.json" > "$work/$name.$kind.log" 2>&1) || true
    stop
    specs "$work/$name.$kind.json" passed > "$work/$name.$kind.passed"
  done
  count() { grep -c . "$1" || true; }
  specs "$work/$name.real.json" all > "$work/$name.all"
  printf '| %s | %s | %s | %s |\n' "$package" "$(count "$work/$name.all")" "$(count "$work/$name.real.passed")" "$(count "$work/$name.ours.passed")"
  comm -23 "$work/$name.real.passed" "$work/$name.ours.passed" | sed "s|^|$package: |" >> "$work/lost"
done
if [ -s "$work/lost" ]; then
  printf '\nPassed on kube-apiserver alone:\n'
  cat "$work/lost"
  exit 1
fi
