"""Recovery from an outage of the API server: the time until all informers watch again."""

import os
import statistics
import time
from contextlib import ExitStack

from control_plane import control_plane
from measure import Bench, rows, say, seconds

from . import markers
from .api_server import ApiServer, Connection
from .contenders import Contender
from .identity import kubeconfig

OUTAGES = [5, 20, 60]  # seconds from the end of the API server to its next start
PACE = 0.1  # seconds between changes of the marked objects
SETTLED = 2  # seconds of watching before an outage: a watch that ends within one counts as failed
PATIENCE = 180  # seconds to wait for all informers
OURS, GO, KUBE_RS = "genclient", "client-go", "kube-rs"

Times = dict[str, float]  # seconds, by contender


def run(bench: Bench) -> dict[str, str]:
    programs = {
        OURS: bench.program("bench-recovery"),
        GO: bench.go_program("recovery"),
        KUBE_RS: bench.kube_rs_program("recovery", "bench-recovery-kube-rs"),
    }
    measured: dict[int, list[Times]] = {outage: [] for outage in OUTAGES}
    with control_plane(bench) as plane:
        server = ApiServer(plane, bench.work)
        admin = Connection(server)
        markers.create(admin)
        env = {**os.environ, "KUBECONFIG": kubeconfig(admin, plane, bench.work)}
        try:
            for number in range(bench.runs):
                for outage, runs in measured.items():
                    times = measure(server, programs, env, outage)
                    brief = ", ".join(f"{name} {seconds(took)}" for name, took in times.items())
                    say(f"outage of {outage} s, run {number + 1} of {bench.runs}: {brief}")
                    runs.append(times)
        finally:
            server.kill()
    head = f"{bench.machine()}, and the longest. client-go 0.36.3, kube 5.0.0, kube-apiserver 1.36.3.\n\n"
    return {"recovery": head + table(measured)}


def measure(server: ApiServer, programs: dict[str, str], env: dict[str, str], outage: int) -> Times:
    """Returns the seconds from readiness until all informers watch again, by contender.

    Contenders are started anew for each outage: their backoff depends on earlier failures.
    """
    with ExitStack() as stack:
        contenders = {name: stack.enter_context(Contender(program, env)) for name, program in programs.items()}
        for contender in contenders.values():
            contender.wait_until_synced()
        time.sleep(SETTLED)
        server.kill()
        time.sleep(outage)
        server.start()
        server.wait_until_ready()
        ready = time.time_ns()
        watching = change_until_seen(Connection(server), contenders, ready)
    return {name: (at - ready) / 1e9 for name, at in watching.items()}


def change_until_seen(connection: Connection, contenders: dict[str, Contender], ready: int) -> dict[str, int]:
    """Changes the marked objects until every contender watches. Returns the time for each."""
    start = time.monotonic()
    while time.monotonic() - start < PATIENCE:
        markers.change(connection)
        time.sleep(PACE)
        watching = {name: contender.watches_since(ready) for name, contender in contenders.items()}
        if None not in watching.values():
            return watching
    raise SystemExit(f"not all informers watch after {PATIENCE} s: {watching}")


def table(measured: dict[int, list[Times]]) -> str:
    names = [OURS, GO, KUBE_RS]
    lines = [[f"{outage} s"] + [span([times[name] for times in runs]) for name in names] for outage, runs in measured.items()]
    return rows(["all informers watch again after an outage of"] + names, lines)


def span(times: list[float]) -> str:
    return f"{seconds(statistics.median(times))} (at most {seconds(max(times))})"
