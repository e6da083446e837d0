#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kubectl and helm from their Go modules, once, and prints the folder that holds them. Starts nothing.
#   KUBEBUILDER_ASSETS=$(hack/control-plane.sh) cargo test --workspace
# CONTROL_PLANE_DIR names another folder. Needs Go and its module proxy; about three minutes on two cores.
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

# Built beside its place and moved there when whole: an interrupted run leaves nothing that looks finished.
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
build=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$build"' EXIT
cd "$build"

# Kubernetes points its k8s.io/* modules at folders of its own tree. Outside of that tree they are the modules of
# the same release, numbered v0 where Kubernetes is numbered v1.
go mod init control-plane 2>/dev/null
source=$(go list -m -f '{{.GoMod}}' "k8s.io/kubernetes@v$version")
staging=$(sed -nE 's,^[[:space:]]*(k8s\.io/[a-z-]+) => \./staging/.*,-replace=\1=\1@v0.'"${version#*.}"',p' "$source")
# shellcheck disable=SC2086 # one word each
go mod edit -require="k8s.io/kubernetes@v$version" -go="$(sed -n 's/^go //p' "$source")" $staging

export CGO_ENABLED=0 GOFLAGS=-mod=mod
minor=${version#*.}
stamp="-X=k8s.io/component-base/version.git" # the version that the server reports, and checks its feature gates against
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
