#!/usr/bin/env bash
# Runs the program against the cluster of $KUBECONFIG, outside of it: the API server calls the
# webhooks at a URL in place of the Service. Arguments go to the program.
set -euo pipefail
cd "$(dirname "$0")"
address=127.0.0.1:${WEBHOOK_PORT:-9443}

# Prints a JSON patch that puts the URL at the place of the Service.
url_at() {
  echo "[{\"op\": \"replace\", \"path\": \"$1\", \"value\": {\"url\": \"https://$address$2\"}}]"
}

kubectl patch --local --filename config/crd/apps.example.io_applications.yaml --output yaml \
  --type json --patch "$(url_at /spec/conversion/webhook/clientConfig /convert)" |
  kubectl apply --filename -
kubectl delete --ignore-not-found --filename config/webhook/manifests.yaml
kubectl create --filename config/webhook/manifests.yaml
for kind in mutating validating; do
  path=/${kind%ing}e-apps-example-io-v1beta1-application
  kubectl patch "${kind}webhookconfiguration" "application-$kind-webhook-configuration" \
    --type json --patch "$(url_at /webhooks/0/clientConfig "$path")"
done

exec cargo run --quiet -p application -- \
  --webhook-bind-address "$address" --webhook-url "https://$address" "$@"
