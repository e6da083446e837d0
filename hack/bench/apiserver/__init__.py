"""Latency of requests: in-process API server, real one, and controller-runtime's fake client."""

import statistics

from measure import Bench, rows, run as execute, say

OBJECTS = 1000
OURS, REAL, FAKE = "in the process", "kube-apiserver and etcd", "controller-runtime's fake client"


def run(bench: Bench) -> dict[str, str]:
    own = bench.program("bench-apiserver")
    assets = execute(["hack/control-plane.sh"], bench.root).output.strip().splitlines()[-1]
    programs = {
        OURS: ([own, "in-process", str(OBJECTS)], {}),
        REAL: ([own, "real", str(OBJECTS)], {"KUBEBUILDER_ASSETS": assets}),
        FAKE: ([bench.go_program("apiserver"), str(OBJECTS)], {}),
    }
    took: dict[str, dict[str, list[float]]] = {}
    bytes_added: dict[str, dict[str, list[float]]] = {}
    memory: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(bench.runs):
        for name, (command, env) in programs.items():
            say(f"{name}, run {number + 1} of {bench.runs}")
            cost = execute(command, bench.work, env)
            memory[name].append(cost.memory)
            for line in cost.output.strip().splitlines():
                what, amount, *unit = line.split("\t")
                of = bytes_added if unit else took
                of.setdefault(what, {}).setdefault(name, []).append(float(amount))
    head = (
        f"{bench.machine()} (least–most). One caller sends one request after another, for {OBJECTS} ConfigMaps of 1 KB and as many "
        "custom resources with rules. *Start* is the time until the first custom resource is created, with ten definitions. "
        "controller-runtime 0.25.2; its fake client has no definitions and validates nothing. *Memory for each ConfigMap* is resident "
        "memory in Rust and live heap in Go. *Peak memory* is that of the largest process, which is kube-apiserver for the real server.\n\n"
    )
    lines = [[what, *(span(measured[name]) for name in programs)] for what, measured in took.items()]
    for what, measured in bytes_added.items():
        cells = {name: f"{min(found) / 1000:.3g}–{max(found) / 1000:.3g} KB" for name, found in measured.items()}
        # The real API server's objects are in another process, of which only the peak is measured.
        lines.append([what, cells[OURS], "", cells[FAKE]])
    lines.append(["peak memory", *(f"{max(memory[name]):.0f} MB" for name in programs)])
    return {"apiserver": head + rows(["time of one request", *programs], lines)}


def span(times: list[float]) -> str:
    return f"{short(statistics.median(times))} ({short(min(times))}–{short(max(times))})"


def short(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.3g} µs"
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
