#!/usr/bin/env bash
# Runs etcd and kube-apiserver for hack/admission/record.py until the script is stopped. Both listen
# on fixed ports of 127.0.0.1. FOLDER gets their data, logs and certificates.
#
#   KUBEBUILDER_ASSETS=$(hack/control-plane.sh) hack/admission/start.sh FOLDER
#
# Needs openssl.
set -euo pipefail
folder=$1
mkdir -p "$folder"
cd "$folder"
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=ca -keyout ca.key -out ca.crt 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj /CN=hooks -keyout serving.key -out serving.csr 2>/dev/null
openssl x509 -req -in serving.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out serving.crt \
    -extfile <(echo 'subjectAltName=IP:127.0.0.1') 2>/dev/null
openssl genrsa -out account.key 2048 2>/dev/null
echo 'token,alice,uid-of-alice,"system:masters"' > tokens.csv
"$KUBEBUILDER_ASSETS/etcd" --data-dir=etcd --listen-client-urls=http://127.0.0.1:23790 \
    --advertise-client-urls=http://127.0.0.1:23790 --listen-peer-urls=http://127.0.0.1:0 \
    --unsafe-no-fsync --log-level=error > etcd.log 2>&1 &
trap 'kill $(jobs -p)' EXIT
"$KUBEBUILDER_ASSETS/kube-apiserver" --etcd-servers=http://127.0.0.1:23790 --bind-address=127.0.0.1 \
    --advertise-address=127.0.0.1 --secure-port=23791 --tls-cert-file=serving.crt \
    --tls-private-key-file=serving.key --client-ca-file=ca.crt --authorization-mode=RBAC \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=account.key \
    --service-account-signing-key-file=account.key --disable-admission-plugins=ServiceAccount \
    --service-cluster-ip-range=10.96.0.0/24 --endpoint-reconciler-type=none --allow-privileged=true \
    --token-auth-file=tokens.csv > kube-apiserver.log 2>&1 &
wait
