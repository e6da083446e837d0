"""kube-apiserver with RBAC, static tokens and the plug-in OwnerReferencesPermissionEnforcement.

etcd and kube-apiserver come from the folder KUBEBUILDER_ASSETS.
"""

import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import time

ADMIN = "root"
ACCOUNT = "system:serviceaccount:a:manager"
# Token, name and groups. The token is also the UID of the user.
USERS = [
    (ADMIN, "root", "system:masters"),
    ("alice", "alice", "devs"),
    ("bob", "bob", "devs,ops"),
    ("carol", "carol", ""),
    ("manager", ACCOUNT, "system:serviceaccounts,system:serviceaccounts:a"),
]
TOKENS = [token for token, _, _ in USERS]


class Server:
    """A running kube-apiserver with its etcd. A folder has their files and logs."""

    def __init__(self, folder: pathlib.Path) -> None:
        assets = pathlib.Path(os.environ["KUBEBUILDER_ASSETS"])
        run = lambda *arguments: subprocess.run(arguments, check=True, capture_output=True, cwd=folder)
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "crt", *subject)
        run("openssl", "rsa", "-in", "key", "-pubout", "-out", "pub")
        of = lambda groups: f',"{groups}"' if groups else ""
        lines = [f"{token},{name},{token}{of(groups)}" for token, name, groups in USERS]
        (folder / "tokens").write_text("\n".join(lines) + "\n")
        (self.port, etcd) = (free_port(), free_port())
        url = f"http://127.0.0.1:{etcd}"
        self.processes = [
            start(folder, "etcd", [
                assets / "etcd", f"--data-dir={folder}/etcd", f"--listen-client-urls={url}",
                f"--advertise-client-urls={url}", "--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync",
            ]),
            start(folder, "kube-apiserver", [
                assets / "kube-apiserver", f"--etcd-servers={url}", "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1", f"--secure-port={self.port}", f"--tls-cert-file={folder}/crt",
                f"--tls-private-key-file={folder}/key", f"--token-auth-file={folder}/tokens",
                "--authorization-mode=RBAC", "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={folder}/pub", f"--service-account-signing-key-file={folder}/key",
                "--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none",
                "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
            ]),
        ]
        self.connection = None
        for _ in range(120):
            time.sleep(1)
            try:
                if self.send(ADMIN, "GET", "/readyz")[0] == 200:
                    return
            except OSError:
                self.connection = None
        raise SystemExit(f"kube-apiserver is not ready; logs: {folder}")

    def send(self, token: str, method: str, path: str, body: object = None, headers: dict = {}) -> tuple[int, object]:
        """Sends a request. Returns the code and the body of the response, decoded if it is JSON."""
        if self.connection is None:
            context = ssl._create_unverified_context()
            self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context)
        media_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Authorization": f"Bearer {token}", "Content-Type": media_type, **headers}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(text) if is_json and text else text

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGKILL)
            process.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(folder: pathlib.Path, name: str, arguments: list) -> subprocess.Popen:
    log = (folder / f"{name}.log").open("w")
    return subprocess.Popen([str(one) for one in arguments], stdout=log, stderr=log)
