#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kubectl and helm from their Go modules, unless they are built
# already, and prints the folder that contains them. Starts nothing.
#
#   KUBEBUILDER_ASSETS=$(hack/control-plane.sh) cargo test --workspace
#
# CONTROL_PLANE_DIR sets the folder; the default is below ${XDG_CACHE_HOME:-~/.cache}/genclient.
# Needs Go and access to a module proxy. The build takes about three minutes on two cores.
set -euo pipefail
version=1.36.3
helm=3.22.0
dir=${CONTROL_PLANE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/genclient/control-plane-$version}
missing=
for program in etcd kube-apiserver kubectl helm; do
  [ -x "$dir/$program" ] || missing+=" $program"
done
if [ -z "$missing" ]; then
  echo "$dir"
  exit
fi

# The programs are moved to their folder when all are built: an interrupted run leaves no partial
# result there.
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
build=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$build"' EXIT
cd "$build"

# The go.mod of k8s.io/kubernetes replaces the k8s.io/* modules by folders below ./staging. As a
# dependency, it needs the published modules of the same release: v0.x.y for Kubernetes v1.x.y.
go mod init control-plane 2>/dev/null
source=$(go list -m -f '{{.GoMod}}' "k8s.io/kubernetes@v$version")
staging=$(sed -nE 's,^[[:space:]]*(k8s\.io/[a-z-]+) => \./staging/.*,-replace=\1=\1@v0.'"${version#*.}"',p' "$source")
# shellcheck disable=SC2086 # one word each
go mod edit -require="k8s.io/kubernetes@v$version" -go="$(sed -n 's/^go //p' "$source")" $staging

export CGO_ENABLED=0 GOFLAGS=-mod=mod
minor=${version#*.}
# Version that the server reports, and that decides which feature gates it has.
stamp="-X=k8s.io/component-base/version.git"
stamps="${stamp}Version=v$version ${stamp}Major=${version%%.*} ${stamp}Minor=${minor%.*}"
echo "building$missing $version into $dir" >&2
for program in $missing; do
  case $program in
    helm) GOBIN=$build go install -ldflags='-s -w' "helm.sh/helm/v3/cmd/helm@v$helm" >&2 ;;
    etcd) go build -o etcd -ldflags='-s -w' go.etcd.io/etcd/server/v3 >&2 ;;
    *) go build -o "$program" -ldflags="-s -w $stamps" "k8s.io/kubernetes/cmd/$program" >&2 ;;
  esac
done
# shellcheck disable=SC2086 # one word each
mv $missing "$dir"
echo "$dir"
