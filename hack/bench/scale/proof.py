"""Proof that replicas that share the objects lose no change, and never work on one object together.

Replicas come, go, hang and lose the API server while objects change. Then their logs are checked.
"""

import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from control_plane import control_plane
from measure import Bench, hardware, rows, run as execute, say, seconds
from recovery.api_server import ApiServer, Connection

from . import NAMESPACES, OBJECTS
from .logs import KINDS, Reconcile, Update, by_key, lags, read_failures, read_updates
from .replicas import LEASES, Replica, Replicas, replicas

REPLICAS = 4
RATE = 50  # updates per second
SUSPENDED = 30  # seconds between SIGSTOP and SIGCONT: twice the lease duration
OUTAGE = 20  # seconds without an API server: longer than the renew deadline
PATHS = {
    "Foo": "/apis/samplecontroller.k8s.io/v1alpha1/foos",
    "ConfigMap": "/api/v1/configmaps",
}


def run(bench: Bench) -> dict[str, str]:
    program = bench.program("bench-scale")
    # Kept, as evidence, if the proof fails.
    work = pathlib.Path(tempfile.mkdtemp(prefix="genclient-scale-proof-"))
    with control_plane(bench) as plane:
        server = ApiServer(plane, bench.work)
        say(f"creating {OBJECTS} objects")
        execute([program, "seed", str(OBJECTS), str(NAMESPACES)], bench.work, plane.env)
        command = [program, "replica", "--shard-by", "namespace"]
        try:
            with replicas(command, plane, server, work / "replicas") as group:
                updating = [program, "update", str(OBJECTS), str(NAMESPACES), "--owned", "--rate", str(RATE), "--log", str(work / "updates")]
                with subprocess.Popen(updating, env={**os.environ, **plane.env}) as updater:
                    try:
                        phases = disturb(group, server)
                    finally:
                        updater.terminate()
                time.sleep(5)
                group.wait_until_quiet()
                stored = {kind: versions(Connection(server), path) for kind, path in PATHS.items()}
        finally:
            server.kill()
    return {"scale.proof": check(group, read_updates(work / "updates"), phases, stored, work)}


def versions(connection: Connection, path: str) -> dict[str, int]:
    """Returns the resource version of each object in the namespaces of the benchmark."""
    listed = (item["metadata"] for item in connection.request("GET", path, None)["items"])
    return {f"{it['namespace']}/{it['name']}": int(it["resourceVersion"]) for it in listed if it["name"].startswith("foo-")}


def disturb(group: Replicas, server: ApiServer) -> list[tuple[int, str]]:
    """Disturbs the replicas in several ways. Returns the time at which each phase began."""
    phases: list[tuple[int, str]] = []

    @contextmanager
    def phase(name: str) -> Iterator[None]:
        say(name)
        phases.append((time.time_ns(), name))
        yield
        group.wait_until_settled()
        group.wait_until_calm(RATE)

    with phase(f"start of {REPLICAS} replicas"):
        group.scale(REPLICAS)
    with phase("rolling restart"):
        for replica in list(group.running):
            replica.end(signal.SIGTERM)
            group.start()
            time.sleep(3)
    with phase("SIGKILL of the leader"):
        group.leader().end(signal.SIGKILL)
    with phase("SIGKILL of another replica"):
        follower(group).end(signal.SIGKILL)
    with phase(f"SIGSTOP of a replica for {SUSPENDED} s"):
        suspend(follower(group))
    with phase(f"SIGSTOP of the leader for {SUSPENDED} s"):
        suspend(group.leader())
    with phase(f"no API server for {OUTAGE} s"):
        server.kill()
        time.sleep(OUTAGE)
        server.start()
        server.wait_until_ready()
        time.sleep(2)
    with phase("deletion of the replicas' Leases"):
        connection = Connection(server)
        for name in group.members():
            connection.request("DELETE", f"{LEASES}/{name}", None)
        time.sleep(2)
    for count in [1, 4, 2]:
        with phase(f"{count} replicas"):
            group.scale(count)
    return phases


def follower(group: Replicas) -> Replica:
    leader = group.leader()
    return next(replica for replica in group.running if replica is not leader)


def suspend(replica: Replica) -> None:
    replica.signal(signal.SIGSTOP)
    time.sleep(SUSPENDED)
    replica.signal(signal.SIGCONT)
    time.sleep(2)


def check(group: Replicas, updates: list[Update], phases: list[tuple[int, str]], stored: dict[str, dict[str, int]], work: pathlib.Path) -> str:
    """Returns the tables of the proof. Exits if the replicas did something wrong."""
    reconciles = group.reconciles()
    grouped = by_key(reconciles)
    waits = lags(updates, grouped)
    wrong = [
        *overlaps(grouped),
        *steps_back(grouped),
        *(f"{update} was never reconciled" for wait, update in waits if wait == float("inf")),
        *not_final(grouped, stored),
    ]
    failures = Counter(failure for replica in group.all for failure in read_failures(replica.log))
    say(f"failed reads: {failures.most_common(5)}")
    if wrong:
        say("\n".join(wrong[:40]))
        raise SystemExit(f"{len(wrong)} violations; logs in {work}")
    head = (
        f"{hardware()}. {OBJECTS:,} objects in {NAMESPACES} namespaces, {len(group.all)} processes, {len(updates):,} updates, "
        f"{len(reconciles):,} reconciles, of which {sum(not it.is_done for it in reconciles)} were dropped. kube-apiserver 1.36.3.\n\n"
    )
    lines = []
    for (begin, name), (end, _) in zip(phases, [*phases[1:], (time.time_ns(), "")]):
        of_phase = [wait for wait, update in waits if begin <= update.acknowledged < end]
        moved = sum(
            begin <= after.begin < end and before.replica != after.replica
            for each in grouped.values()
            for before, after in zip(each, each[1:])
        )
        lines.append([name, f"{moved:,}", seconds(max(0, statistics.median(of_phase))), seconds(max(of_phase))])
    return head + rows(["", "objects moved", "an update was reconciled after (median)", "at most"], lines)


def overlaps(grouped: dict[str, list[Reconcile]]) -> Iterator[str]:
    for key, each in grouped.items():
        last = each[0]
        for reconcile in each[1:]:
            if reconcile.begin < last.end:
                yield f"{key}: {reconcile} began before the end of {last}"
            last = max(last, reconcile, key=lambda it: it.end)


def steps_back(grouped: dict[str, list[Reconcile]]) -> Iterator[str]:
    """Finds reconciles that read an older version than the reconcile before."""
    for key, each in grouped.items():
        for before, after in zip(each, each[1:]):
            for kind, old, new in zip(KINDS, before.versions, after.versions):
                if new < old:
                    yield f"{key}: {after} read an older {kind} than {before}"


def not_final(grouped: dict[str, list[Reconcile]], stored: dict[str, dict[str, int]]) -> Iterator[str]:
    """Finds objects whose last complete reconcile did not read the stored versions."""
    for key in stored["Foo"]:
        final = tuple(stored[kind][key] for kind in KINDS)
        last = next((it for it in reversed(grouped.get(key, [])) if it.is_done), None)
        if last is None or last.versions != final:
            yield f"{key}: {last} was the last; stored: {final}"
