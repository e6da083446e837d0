"""Informers on a real API server: genclient, client-go, kube-rs' reflector, two lower bounds."""

import json
import os
import statistics
import subprocess

from control_plane import control_plane
from measure import Bench, ratio_range, rows, run as execute, say, seconds, spread

from .contenders import BARE, GO, GO_LIST, KUBE_RS, KUBE_RS_LIST, OURS, OURS_LIST, RAW, Contender, build

OBJECTS = 43_000
# With a fixed rate, the latency does not include a backlog in the API server. Without one, the API
# server limits the throughput.
PACES = {"200 updates a second": (2_000, ["--rate", "200"]), "as fast as the API server takes them": (10_000, [])}

Figures = dict[str, float]
Runs = dict[str, list[Figures]]  # by contender


def run(bench: Bench) -> dict[str, str]:
    contenders = build(bench)
    own = contenders[OURS].command[0]
    with control_plane(bench) as plane:
        env = plane.env
        say(f"creating {OBJECTS} objects")
        execute([own, "seed", str(OBJECTS)], bench.work, env)
        syncs = syncing(bench, contenders, env)
        events = {pace: watching(bench, contenders, env, *settings) for pace, settings in PACES.items()}
    head = f"{bench.machine()}. {OBJECTS:,} objects of 800 bytes. client-go 0.36.3, kube 5.0.0, kube-apiserver 1.36.3.\n\n"
    synced = medians(syncs)
    tables = [synced_table(synced), reads_table(synced), *(events_table(pace, medians(each)) for pace, each in events.items())]
    return {"informer": head + "\n".join(tables), "summary": summary(bench, syncs, events[list(PACES)[-1]])}


def syncing(bench: Bench, contenders: dict[str, Contender], env: dict[str, str]) -> Runs:
    """Measures syncs. Contenders take turns, so that changes on the machine affect all of them."""
    measured: Runs = {name: [] for name in contenders}
    for number in range(bench.runs + 1):
        say(f"sync, run {number} of {bench.runs}")
        for name, contender in contenders.items():
            figures = json.loads(execute(contender.command, bench.work, {**env, **contender.env}).output)
            if figures["objects"] != OBJECTS:
                raise SystemExit(f"{name} has {figures['objects']} objects of {OBJECTS}")
            if number > 0:  # the first run warms up the API server
                measured[name].append(figures)
    return measured


def watching(bench: Bench, contenders: dict[str, Contender], env: dict[str, str], count: int, pace: list[str]) -> Runs:
    measured: Runs = {name: [] for name in [OURS, GO, KUBE_RS]}
    for number in range(bench.runs):
        say(f"{count} updates {' '.join(pace)}, run {number + 1} of {bench.runs}")
        for name, runs in measured.items():
            watcher = [contenders[name].command[0], "watch", str(count)]
            updater = [contenders[OURS].command[0], "update", str(count), *pace]
            runs.append(latency(watcher, updater, {**os.environ, **env}))
    return measured


def latency(watcher: list[str], updater: list[str], env: dict[str, str]) -> Figures:
    """Measures the time from the response to a write to the call of the handler, for each write."""
    with subprocess.Popen(watcher, env=env, stdout=subprocess.PIPE, text=True) as watching:
        if watching.stdout.readline().strip() != "synced":
            raise SystemExit(f"{' '.join(watcher)}: no sync")
        updates = json.loads(subprocess.run(updater, env=env, stdout=subprocess.PIPE, check=True, text=True).stdout)
        watched = json.loads(watching.stdout.readline())
    seen = dict(watched["seen"])
    lags = sorted((seen[version] - at) / 1e9 for version, at in updates["acknowledged"])
    return {
        "p50": lags[len(lags) // 2],
        "p99": lags[len(lags) * 99 // 100],
        "cpu": watched["cpu"],
        "rate": len(lags) / updates["seconds"],
    }


def medians(measured: Runs) -> dict[str, Figures]:
    return {
        contender: {name: statistics.median(figures[name] for figures in runs) for name in runs[0]}
        for contender, runs in measured.items()
    }


def times(theirs: float, ours: float) -> str:
    return f"{theirs / ours:.2f}x" if theirs / ours < 10 else f"{theirs / ours:.0f}x"


def synced_table(syncs: dict[str, Figures]) -> str:
    own = syncs[OURS]
    lines = []
    for name, figures in syncs.items():
        line = [f"{seconds(figures['sync'])}", f"{seconds(figures['cpu'])}", f"{figures['peak']:.0f} MB"]
        of_ours = [times(figures[what], own[what]) for what in ["sync", "cpu", "peak"]]
        lines.append([name, *(f"{value} ({ratio})" for value, ratio in zip(line, of_ours))])
    return rows(["until synced (beside genclient)", "time", "CPU of the client", "peak memory"], lines)


def reads_table(syncs: dict[str, Figures]) -> str:
    names = [OURS, GO, KUBE_RS]
    kinds = {
        "get": "one object by name",
        "namespace": "the 1,000 objects of a namespace",
        "index": "the 2,688 objects of an index value",
        "label": "the same by a label selector",
    }
    lines = []
    for kind, text in kinds.items():
        own = syncs[OURS][kind]
        lines.append([text] + [f"{brief(syncs[name][kind])} ({times(syncs[name][kind], own)})" for name in names])
    return rows(["reading from the cache takes"] + names, lines)


def events_table(pace: str, events: dict[str, Figures]) -> str:
    own = events[OURS]
    lines = []
    for name, figures in events.items():
        costs = [f"{brief(figures[what])}" for what in ["p50", "p99"]]
        lines.append([name, *costs, f"{seconds(figures['cpu'])} ({times(figures['cpu'], own['cpu'])})", f"{figures['rate']:.0f}"])
    head = [f"from acknowledged to handled, {pace}", "p50", "p99", "CPU of the client", "updates a second"]
    return rows(head, lines)


def brief(value: float) -> str:
    """Formats a duration. It is negative if an event arrives before the response to its write."""
    size = abs(value)
    for factor, unit in [(1, "s"), (1e3, "ms"), (1e6, "µs")]:
        if size * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def summary(bench: Bench, syncs: Runs, updates: Runs) -> str:
    """Returns the table of the summary: the costs of peers as multiples of genclient's."""
    peers = [GO, GO_LIST, KUBE_RS, KUBE_RS_LIST]
    kinds = {"sync": "time until 43,000 objects are synced", "cpu": "CPU for it", "peak": "peak memory for it", "get": "a cached get"}

    def cells(measured: Runs, kind: str) -> list[str]:
        figures = {name: [run[kind] for run in measured.get(name, [])] for name in [OURS, *peers]}
        return [ratio_range(figures[OURS], figures[peer]) if figures[peer] else "" for peer in peers]

    lines = [[text] + cells(syncs, kind) for kind, text in kinds.items()]
    lines.append(["CPU for 10,000 updates"] + cells(updates, "cpu"))
    return rows([f"beside genclient ({spread(bench.runs, bench.runs)})"] + peers, lines)
