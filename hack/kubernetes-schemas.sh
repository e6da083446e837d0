#!/usr/bin/env bash
# Takes what the API server that hack/control-plane.sh builds says of Kubernetes' own types: their schemas, for the
# generator; and for the server in the process its kinds, their Go types, and answers that tests compare with ours.
# The test `published` in tests/e2e says when that is due.
set -euo pipefail
cd "$(dirname "$0")/.."
KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
export KUBEBUILDER_ASSETS
cargo run --quiet -p tests --bin kubernetes-schemas

data=runtime/apiserver/data
tests=runtime/apiserver/tests
coproc server { exec cargo run --quiet -p tests --bin control-plane; }
# shellcheck disable=SC2154 # coproc sets it
trap 'kill "$server_PID"' EXIT
read -r kubeconfig <&"${server[0]}"
# Written beside their places first: the tests and the Go program read the old ones.
write() {
  "${@:2}" >"$1.new"
  mv "$1.new" "$1"
}
write $data/kinds.tsv python3 hack/kinds/kinds.py "$kubeconfig"
write $data/types.tsv env -C hack/kinds/types GOFLAGS=-mod=mod go run . <$data/kinds.tsv
write $data/protobuf.tsv env -C hack/kinds/types GOFLAGS=-mod=mod go run . protobuf <$data/kinds.tsv
write $data/policy.jsonl python3 hack/kinds/policy.py "$kubeconfig"
write $tests/kinds/answers.jsonl python3 hack/kinds/answers.py "$kubeconfig" <$tests/kinds/cases.jsonl
write $tests/warnings/answers.jsonl python3 hack/kinds/write_warnings.py "$kubeconfig" <$tests/warnings/cases.jsonl
write $tests/tables/answers.jsonl python3 hack/kinds/tables.py "$kubeconfig" <$tests/tables/cases.jsonl
write $tests/dialogues/answers.jsonl python3 hack/kinds/dialogues.py "$kubeconfig" <$tests/dialogues/cases.jsonl
write $tests/discovery/documents.jsonl python3 hack/kinds/discovery.py "$kubeconfig"
git diff --stat -- codegen/schema/data runtime/apiserver
