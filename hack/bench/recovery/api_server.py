"""The kube-apiserver of a control plane: killing it, starting it again, and writing to it."""

import base64
import json
import os
import pathlib
import signal
import ssl
import subprocess
import time
from http.client import HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from control_plane import ControlPlane

PATIENCE = 120  # seconds to wait for readiness or a response


def decode(data: str) -> str:
    """Decodes a field of a kubeconfig whose name ends in `-data`."""
    return base64.b64decode(data).decode()


class ApiServer:
    """The kube-apiserver process. It restarts with the same flags: on its port, with its etcd."""

    def __init__(self, plane: ControlPlane, work: pathlib.Path) -> None:
        self.first = int(subprocess.check_output(["pgrep", "--exact", "--parent", str(plane.pid), "kube-apiserver"]))
        self.command = pathlib.Path(f"/proc/{self.first}/cmdline").read_text().split("\0")[:-1]
        # The restarted process; None while the one of the control plane runs.
        self.process: subprocess.Popen[bytes] | None = None
        kubeconfig = json.loads(pathlib.Path(plane.kubeconfig).read_text())
        cluster = kubeconfig["clusters"][0]["cluster"]
        self.address = urlsplit(cluster["server"]).netloc
        user = kubeconfig["users"][0]["user"]
        self.tls = ssl.create_default_context(cadata=decode(cluster["certificate-authority-data"]))
        # The module `ssl` reads client certificates from files only.
        identity = work / "admin.pem"
        identity.write_text(decode(user["client-certificate-data"]) + decode(user["client-key-data"]))
        self.tls.load_cert_chain(identity)

    def kill(self) -> None:
        """Kills the process with SIGKILL: clients get no notice."""
        if self.process:
            self.process.kill()
            self.process.wait()
        else:
            os.kill(self.first, signal.SIGKILL)

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, env={}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_until_ready(self) -> None:
        start = time.monotonic()
        while time.monotonic() - start < PATIENCE:
            try:
                if Connection(self).is_ready():
                    return
            except (OSError, HTTPException):
                pass
            time.sleep(0.02)
        raise SystemExit(f"the API server was not ready after {PATIENCE} s")


class Connection:
    """A connection that sends one request after the other."""

    def __init__(self, server: ApiServer) -> None:
        self.http = HTTPSConnection(server.address, context=server.tls, timeout=PATIENCE)

    def is_ready(self) -> bool:
        self.http.request("GET", "/readyz")
        return self.http.getresponse().status == 200

    def request(self, method: str, path: str, body: Any, content: str = "application/json") -> Any:
        """Sends a request. Returns the decoded response, and exits if it is an error."""
        headers = {"Content-Type": content}
        self.http.request(method, path, json.dumps(body), headers)
        response = self.http.getresponse()
        answer = response.read()
        if response.status >= 300:
            raise SystemExit(f"{method} {path}: {response.status} {answer.decode()}")
        return json.loads(answer)
