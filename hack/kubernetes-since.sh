#!/usr/bin/env bash
# Updates apimachinery/schema/data/kubernetes_since.tsv: for each field of Kubernetes' own types,
# the Kubernetes version that added it, according to the sources of k8s-openapi. The generator uses
# it for packages that select an older version.
#
#   hack/kubernetes-since.sh
#
# Run it after hack/kubernetes-schemas.sh. The range of minor versions below has to end with the
# newest release of k8s-openapi. Needs Python 3 and a network.
set -euo pipefail
cd "$(dirname "$0")/.."
data=apimachinery/schema/data
crates=$(mktemp -d)
trap 'rm -r "$crates"' EXIT
mkdir "$crates/src"
touch "$crates/src/lib.rs"
{
  printf '[package]\nname = "crates"\nedition = "2024"\n[workspace]\n[dependencies]\n'
  for minor in {19..29}; do
    printf 'k%s = { package = "k8s-openapi", version = "0.%s", default-features = false }\n' "$minor" "$minor"
  done
} >"$crates/Cargo.toml"
cargo vendor --quiet --versioned-dirs --manifest-path "$crates/Cargo.toml" "$crates/vendor" >/dev/null
python3 hack/kinds/since.py "$crates/vendor" <$data/kubernetes.tsv >"$crates/since.tsv"
mv "$crates/since.tsv" $data/kubernetes_since.tsv
git diff --stat -- $data
