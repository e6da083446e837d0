#!/usr/bin/env bash
# Takes the schemas of Kubernetes' own types from the API server that hack/control-plane.sh builds. The test
# `published` in tests/e2e says when that is due.
set -euo pipefail
cd "$(dirname "$0")/.."
KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
export KUBEBUILDER_ASSETS
cargo run --quiet -p tests --bin kubernetes-schemas
git diff --stat -- codegen/schema/data
