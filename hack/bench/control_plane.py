"""A real etcd and kube-apiserver."""

import os
import pathlib
import subprocess
from contextlib import contextmanager
from typing import Iterator

from measure import CARGO, Bench, run, say


@contextmanager
def control_plane(bench: Bench) -> Iterator[dict[str, str]]:
    """The environment in which programs find a running API server."""
    assets = run(["hack/control-plane.sh"], bench.root).output.strip().splitlines()[-1]
    run([CARGO, "build", "--quiet", "--locked", "-p", "tests", "--bin", "control-plane"], bench.root)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", bench.root / "target"))
    program = str(bench.root / target / "debug" / "control-plane")
    env = {**os.environ, "KUBEBUILDER_ASSETS": assets}
    with subprocess.Popen([program], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            kubeconfig = server.stdout.readline().strip()
            if not kubeconfig:
                raise SystemExit("the control plane did not start")
            yield {"KUBECONFIG": kubeconfig}
        finally:
            server.terminate()
            server.wait()
            say("control plane stopped")
