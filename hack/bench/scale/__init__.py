"""Replicas of one controller: genclient-controller's share the objects, controller-runtime's elect a leader."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass

from control_plane import ControlPlane, control_plane
from controller import span
from informer import brief
from measure import Bench, hardware, rows, run as execute, say, seconds, spread
from recovery.api_server import ApiServer

from .logs import by_key, lags, read_updates
from .replicas import Replicas, Sockets, replicas, wait_until

OBJECTS = int(os.environ.get("BENCH_SCALE_OBJECTS", "20000"))  # each owns a ConfigMap of 1 KB
NAMESPACES = OBJECTS // 40
RATE, UPDATING = 50, 20  # updates per second, and for how many seconds
WINDOW = 10  # seconds in which reconciles are counted
GATE = "ShardedListAndWatch"
OURS, WITHOUT_GATE, GO = "genclient-controller", f"the same without `{GATE}`", "controller-runtime"

Figures = dict[str, float]
Runs = dict[tuple[str, int], list[Figures]]  # by contender and number of replicas


@dataclass
class Contender:
    command: list[str]
    counts: list[int]  # numbers of replicas
    has_gate: bool = True


def run(bench: Bench) -> dict[str, str]:
    program = bench.program("bench-scale")
    sharing = [program, "replica", "--shard-by", "namespace"]
    contenders = {
        OURS: Contender(sharing, [1, 2, 4]),
        GO: Contender([bench.go_program("scale")], [1, 4]),
        WITHOUT_GATE: Contender(sharing, [1, 4], has_gate=False),
    }
    measured: Runs = {(name, count): [] for name, it in contenders.items() for count in it.counts}
    with control_plane(bench) as plane:
        server = ApiServer(plane, bench.work)
        say(f"creating {OBJECTS} objects in {NAMESPACES} namespaces")
        execute([program, "seed", str(OBJECTS), str(NAMESPACES)], bench.work, plane.env)
        try:
            for number in range(bench.runs):
                for name, count in measured:
                    set_gate(server, contenders[name].has_gate)
                    say(f"{name}, {count} replicas, run {number + 1} of {bench.runs}")
                    measuring = Measuring(bench, plane, server, program, contenders[name].command, count)
                    figures = measuring.run(f"{len(measured[name, count])}-{name.partition(' ')[0]}-{count}")
                    say(str(figures))
                    measured[name, count].append(figures)
        finally:
            server.kill()
    head = (
        f"{hardware()}; {spread(bench.runs, bench.runs)}. {OBJECTS:,} objects in {NAMESPACES} namespaces, each with a ConfigMap of 1 KB. "
        "controller-runtime 0.25.2, kube-apiserver 1.36.3.\n\n"
    )
    return {"scale": head + "\n".join([rates_table(measured), costs_table(measured), takeovers_table(measured)])}


def set_gate(server: ApiServer, is_on: bool) -> None:
    """Restarts the API server if its gate has another value."""
    flag = f"--feature-gates={GATE}={'true' if is_on else 'false'}"
    if flag not in server.command:
        server.kill()
        time.sleep(1)  # until its port is free
        server.command = [flag if it.startswith("--feature-gates=") else it for it in server.command]
        server.start()
        server.wait_until_ready()


@dataclass
class Measuring:
    """Measurements of one number of replicas of a program."""

    bench: Bench
    plane: ControlPlane
    server: ApiServer
    load: str
    command: list[str]
    count: int

    def run(self, label: str) -> Figures:
        folder = self.bench.work / label
        with replicas(self.command, self.plane, self.server, folder / "idle") as group, Sockets(self.server.address) as sockets:
            figures = self.start(group, sockets) | self.update(group, sockets)
            if self.count > 1:
                for name, number in {"killed": signal.SIGKILL, "terminated": signal.SIGTERM}.items():
                    first, last = takeover(group, number)
                    figures |= {f"{name} first": first, f"{name} all": last}
                    group.wait_until_settled()
                    group.wait_until_quiet()
        with replicas([*self.command, "--requeue"], self.plane, self.server, folder / "busy") as group:
            return figures | self.work(group)

    def start(self, group: Replicas, sockets: Sockets) -> Figures:
        started = time.time_ns()
        group.scale(self.count)
        group.wait_until_settled()
        group.wait_until_reconciled(OBJECTS)
        group.wait_until_quiet()
        firsts = [each[0].begin for each in by_key(group.reconciles()).values()]
        return {
            "until reconciled": (max(firsts) - started) / 1e9,
            "start cpu": sum(replica.cpu() for replica in group.running),
            "start received": max(sockets.of(replica) for replica in group.running),
        }

    def update(self, group: Replicas, sockets: Sockets) -> Figures:
        log = group.work / "updates"
        before = {replica.name: (replica.cpu(), sockets.of(replica)) for replica in group.running}
        updating = [self.load, "update", str(OBJECTS), str(NAMESPACES), "--rate", str(RATE), "--log", str(log)]
        with subprocess.Popen(updating, env=group.env, stderr=subprocess.DEVNULL) as updater:
            time.sleep(UPDATING)
            updater.terminate()
        group.wait_until_quiet()
        waits = sorted(wait for wait, _ in lags(read_updates(log), by_key(group.reconciles())))
        memory = [replica.memory() for replica in group.running]
        return {
            "p50": waits[len(waits) // 2],
            "p99": waits[len(waits) * 99 // 100],
            "cpu": sum(replica.cpu() - before[replica.name][0] for replica in group.running),
            "received": max(sockets.of(replica) - before[replica.name][1] for replica in group.running),
            "memory": sum(now for now, _ in memory) / len(memory),
            "peak": max(peak for _, peak in memory),
        }

    def work(self, group: Replicas) -> Figures:
        """Measures the rate of reconciles of replicas whose queues are never empty."""
        group.scale(self.count)
        group.wait_until_settled()
        wait_until("a replica reconciles", lambda: any(replica.log.stat().st_size for replica in group.running))
        begin = time.time_ns()
        time.sleep(WINDOW)
        end = time.time_ns()
        counted = sum(begin <= it.begin < end for it in group.reconciles())
        return {"rate": counted / (end - begin) * 1e9}


def takeover(group: Replicas, number: int) -> tuple[float, float]:
    """Ends the leader. Returns the seconds until the first and the last of its objects are reconciled by others."""
    leader = group.leader()
    last = {key: each[-1].replica for key, each in by_key(group.reconciles()).items()}
    held = {key for key, replica in last.items() if replica == leader.name}
    sent = leader.end(number)
    taken: dict[str, int] = {}

    def are_taken() -> bool:
        for key, each in by_key(group.reconciles()).items():
            begins = (it.begin for it in each if it.begin > sent and it.replica != leader.name)
            if key in held and (begin := next(begins, None)):
                taken[key] = begin
        return taken.keys() == held

    wait_until(f"{len(held)} objects are taken over", are_taken, 1)
    return (min(taken.values()) - sent) / 1e9, (max(taken.values()) - sent) / 1e9


def rates_table(measured: Runs) -> str:
    kinds = {"rate": lambda rate: f"{rate:,.0f}", "until reconciled": seconds, "p50": brief, "p99": brief}
    heads = ["reconciles a second", "until all are reconciled", "from update to reconcile, p50", "p99"]
    return table(measured, kinds, ["20 workers, 50 ms a reconcile", "replicas", *heads])


def costs_table(measured: Runs) -> str:
    megabytes = lambda size: f"{size:.3g} MB"
    kinds = {"memory": megabytes, "peak": megabytes, "start received": megabytes, "received": megabytes, "start cpu": seconds, "cpu": seconds}
    heads = ["memory of a replica", "peak of one", "received by a replica until all are reconciled", f"during {RATE * UPDATING:,} updates"]
    cpu = ["CPU of all replicas until all are reconciled", f"for {RATE * UPDATING:,} updates"]
    return table(measured, kinds, ["costs", "replicas", *heads, *cpu])


def takeovers_table(measured: Runs) -> str:
    kinds = {f"{how} {which}": seconds for how in ["killed", "terminated"] for which in ["first", "all"]}
    several = {(name, count): runs for (name, count), runs in measured.items() if count > 1}
    heads = ["after SIGKILL, the first", "all", "after SIGTERM, the first", "all"]
    return table(several, kinds, ["objects of the leader are reconciled by another replica", "replicas", *heads])


def table(measured: Runs, kinds: dict, heads: list[str]) -> str:
    lines = []
    for (name, count), runs in measured.items():
        cells = [span([figures[kind] for figures in runs], text) for kind, text in kinds.items()]
        lines.append([name, str(count), *cells])
    return rows(heads, lines)
