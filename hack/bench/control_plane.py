"""Control plane for benchmarks: a real etcd and kube-apiserver."""

import os
import pathlib
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Iterator

from measure import CARGO, Bench, run, say


@dataclass
class ControlPlane:
    """A running control plane: its kubeconfig, and the parent process of the servers."""

    kubeconfig: str
    pid: int

    @property
    def env(self) -> dict[str, str]:
        """Environment variables with which programs find the API server."""
        return {"KUBECONFIG": self.kubeconfig}


@contextmanager
def control_plane(bench: Bench) -> Iterator[ControlPlane]:
    """Starts a control plane, which runs until the `with` block ends."""
    assets = run(["hack/control-plane.sh"], bench.root).output.strip().splitlines()[-1]
    run([CARGO, "build", "--quiet", "--locked", "-p", "e2e", "--bin", "control-plane"], bench.root)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", bench.root / "target"))
    program = str(bench.root / target / "debug" / "control-plane")
    env = {**os.environ, "KUBEBUILDER_ASSETS": assets}
    with subprocess.Popen([program], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            kubeconfig = server.stdout.readline().strip()
            if not kubeconfig:
                raise SystemExit("the control plane did not start")
            yield ControlPlane(kubeconfig, server.pid)
        finally:
            server.terminate()
            server.wait()
            say("control plane stopped")
