#!/usr/bin/env bash
# Updates the checked-in data about Kubernetes' own types, from the kube-apiserver that
# hack/control-plane.sh builds and from the Go modules of the same release:
# - apimachinery/schema/data: published schemas, for the generator
# - runtime/apiserver/builtins/data: kinds, Go types and protobuf fields, for the API server in the
#   process
# - runtime/apiserver/data: its bootstrap policy
# - runtime/apiserver/tests: recorded responses, with which tests compare those of that server
#
#   hack/kubernetes-schemas.sh
#
# Run it after the version in hack/control-plane.sh has changed. The e2e test
# `builtins::schemas_equal_those_published_by_the_server` fails if the data is out of date. Needs
# Go, Python 3 and a network.
set -euo pipefail
cd "$(dirname "$0")/.."
KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
export KUBEBUILDER_ASSETS
cargo run --quiet -p e2e --bin kubernetes-schemas

data=runtime/apiserver/builtins/data
tests=runtime/apiserver/tests
coproc server { exec cargo run --quiet -p e2e --bin control-plane; }
# shellcheck disable=SC2154 # coproc sets it
trap 'kill "$server_PID"' EXIT
read -r kubeconfig <&"${server[0]}"
# write FILE COMMAND...: replaces a file with the output of a command. The old file stays until the
# command has succeeded: cargo compiles some of these files into the programs.
write() {
  "${@:2}" >"$1.new"
  mv "$1.new" "$1"
}
write $data/kinds.tsv python3 hack/kinds/kinds.py "$kubeconfig"
write $data/types.tsv env -C hack/kinds/types GOFLAGS=-mod=mod go run . <$data/kinds.tsv
write $data/protobuf.tsv env -C hack/kinds/types GOFLAGS=-mod=mod go run . protobuf <$data/kinds.tsv
write runtime/apiserver/data/policy.jsonl python3 hack/kinds/policy.py "$kubeconfig"
write $tests/kinds/answers.jsonl python3 hack/kinds/answers.py "$kubeconfig" <$tests/kinds/cases.jsonl
write $tests/warnings/answers.jsonl python3 hack/kinds/write_warnings.py "$kubeconfig" <$tests/warnings/cases.jsonl
write $tests/tables/answers.jsonl python3 hack/kinds/tables.py "$kubeconfig" <$tests/tables/cases.jsonl
write $tests/dialogues/answers.jsonl python3 hack/kinds/dialogues.py "$kubeconfig" <$tests/dialogues/cases.jsonl
write $tests/discovery/documents.jsonl python3 hack/kinds/discovery.py "$kubeconfig"
git diff --stat -- apimachinery/schema/data runtime/apiserver
