"""Controllers on a real API server: genclient-controller, controller-runtime, kube-rs, and a loop
by hand on genclient's informer, queue and lister.
"""

import json
import os

from control_plane import control_plane
from informer import brief, latency, times
from measure import Bench, hardware, rows, run as execute, say, seconds, spread

from .contenders import BY_HAND, OURS, Contender, build

STARTED = 20_000  # objects that exist when the no-op reconcilers start
CREATED = 2_000  # objects for each of which a ConfigMap is created
CACHED = [100, 10_000]  # objects in the cache during updates
UPDATES, RATE = 2_000, 200  # number of updates, and updates per second

Figures = dict[str, float]
Runs = dict[str, list[Figures]]  # by contender


def run(bench: Bench) -> dict[str, str]:
    seeder = bench.program("bench-informer")
    contenders = build(bench)
    changed, existing = {}, 0
    with control_plane(bench) as plane:
        env = plane.env
        for objects in sorted({*CACHED, CREATED, STARTED}):
            say(f"creating {objects - existing} objects")
            execute([seeder, "seed", str(objects), "--from", str(existing)], bench.work, env)
            existing = objects
            if objects in CACHED:
                changed[objects] = changing(bench, contenders, env, seeder, objects)
            if objects == CREATED:
                created = reconciling(bench, contenders, env, "create", objects)
        started = reconciling(bench, contenders, env, "start", STARTED)
    head = f"{hardware()}; {spread(bench.runs, bench.runs)}. controller-runtime 0.25.2, kube 5.0.0, kube-apiserver 1.36.3.\n\n"
    tables = [
        reconciled_table(f"no-op reconciler, {STARTED:,} objects", started),
        reconciled_table(f"one ConfigMap for each of {CREATED:,} objects", created),
        changed_table(changed),
    ]
    return {"controller": head + "\n".join(tables)}


def reconciling(bench: Bench, contenders: dict[str, Contender], env: dict[str, str], mode: str, objects: int) -> Runs:
    """Measures the time from the start of a controller until every object was reconciled.

    Contenders take turns. The first turn warms up the API server and does not count.
    """
    measured: Runs = {name: [] for name in contenders}
    for number in range(bench.runs + 1):
        say(f"{mode}, run {number} of {bench.runs}")
        for name, contender in contenders.items():
            # ConfigMaps have names of their run, so none has to be deleted between runs.
            command = [*contender.command, mode, str(objects), f"{contender.label}-{number}"]
            figures = json.loads(execute(command, bench.work, env).output)
            if number > 0:
                measured[name].append({**figures, "rate": objects / figures["seconds"]})
    return measured


def changing(bench: Bench, contenders: dict[str, Contender], env: dict[str, str], updater: str, objects: int) -> Runs:
    """Measures the time from the response to an update to the reconcile. Contenders take turns."""
    measured: Runs = {name: [] for name in contenders}
    update = [updater, "update", str(UPDATES), "--rate", str(RATE), "--among", str(objects)]
    for number in range(bench.runs):
        say(f"{UPDATES} updates among {objects} objects, run {number + 1} of {bench.runs}")
        for name, contender in contenders.items():
            watcher = [*contender.command, "watch", str(objects), str(UPDATES)]
            measured[name].append(latency(watcher, update, {**os.environ, **env}))
    return measured


def reconciled_table(what: str, measured: Runs) -> str:
    kinds = {"seconds": seconds, "rate": lambda rate: f"{rate:,.0f}", "cpu": seconds, "peak": lambda peak: f"{peak:.0f} MB"}
    lines = []
    for name, runs in measured.items():
        cells = []
        for kind, text in kinds.items():
            values = [figures[kind] for figures in runs]
            ratios = [value / figures[kind] for value, figures in zip(values, measured[BY_HAND])]
            beside = "" if kind == "rate" or name == BY_HAND else f" ({span(ratios, lambda ratio: times(ratio, 1))})"
            cells.append(span(values, text) + beside)
        lines.append([name, *cells])
    return rows([f"{what} (beside the loop by hand)", "until all are reconciled", "reconciles a second", "CPU", "peak memory"], lines)


def changed_table(changed: dict[int, Runs]) -> str:
    lines = []
    for name in next(iter(changed.values())):
        cells = [span([figures[kind] for figures in runs[name]], brief) for runs in changed.values() for kind in ["p50", "p99"]]
        cpu = [figures["cpu"] for runs in changed.values() for figures in runs[name]]
        lines.append([name, *cells, span(cpu, seconds)])
    heads = [f"{kind}, {objects:,} objects" for objects in changed for kind in ["p50", "p99"]]
    return rows([f"from acknowledged to reconciled, {RATE} updates a second", *heads, f"CPU for {UPDATES:,} updates"], lines)


def span(values: list[float], text) -> str:
    least, most = text(min(values)), text(max(values))
    return least if least == most else f"{least}–{most}"
