"""Throughput of work queues: genclient and client-go, with one producer and several workers."""

import statistics

from measure import Bench, rows, run as execute, say

KEYS = 4_000_000
WORKERS = [1, 2, 8]
KINDS = {"u64": "numbers", "string": "names, `namespace/name-1`", "object": "names of objects"}
OURS, GO = "genclient", "client-go"


def run(bench: Bench) -> dict[str, str]:
    programs = {OURS: bench.program("bench-queue"), GO: bench.go_program("workqueue")}
    rates = {(kind, workers): measure(bench, programs, kind, workers) for kind in KINDS for workers in WORKERS}
    head = f"{bench.machine()}; million keys a second. One producer adds, workers get, forget and are done. client-go 0.36.3.\n\n"
    return {"workqueue": head + table(rates)}


def measure(bench: Bench, programs: dict[str, str], kind: str, workers: int) -> dict[str, list[float]]:
    """Measures rates. Both queues take turns, so that changes on the machine affect both."""
    rates: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(bench.runs):
        say(f"{kind}, {workers} workers, run {number + 1} of {bench.runs}")
        for name, program in programs.items():
            took = float(execute([program, kind, str(workers), str(KEYS)], bench.work).output)
            rates[name].append(KEYS / took / 1e6)
    return rates


def table(rates: dict[tuple[str, int], dict[str, list[float]]]) -> str:
    head = ["keys", "workers", OURS, GO, "faster"]
    lines = []
    for (kind, workers), measured in rates.items():
        ours, theirs = statistics.median(measured[OURS]), statistics.median(measured[GO])
        lines.append([KINDS[kind], str(workers), span(measured[OURS]), span(measured[GO]), f"{ours / theirs:.1f}x"])
    return rows(head, lines)


def span(rates: list[float]) -> str:
    return f"{statistics.median(rates):.1f} ({min(rates):.1f}–{max(rates):.1f})"
