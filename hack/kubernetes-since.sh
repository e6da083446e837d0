#!/usr/bin/env bash
# Takes from the sources of k8s-openapi which version of Kubernetes added a field, for the schemas
# of packages that choose an older one. It is due after hack/kubernetes-schemas.sh, with the newest
# release of the crate in the list.
set -euo pipefail
cd "$(dirname "$0")/.."
data=codegen/schema/data
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
