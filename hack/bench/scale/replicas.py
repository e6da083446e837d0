"""Replicas of a program, the bytes that they receive, and the state of their group."""

import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from control_plane import ControlPlane
from recovery.api_server import ApiServer, Connection

from .logs import Reconcile, read_reconciles

LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
PATIENCE = 300  # seconds to wait for a state
QUIET = 1  # seconds without a reconcile after which all are done
SETTLED = 5  # seconds in which the assignment has to stay the same
LINES = 120  # bytes of a reconcile in a log
SAMPLED = 0.1  # seconds between two samples of the sockets


def wait_until(what: str, is_true: Callable[[], bool], pause: float = 0.1) -> None:
    start = time.monotonic()
    while not is_true():
        if time.monotonic() - start > PATIENCE:
            raise SystemExit(f"not after {PATIENCE} s: {what}")
        time.sleep(pause)


class Replica:
    """One process. It logs to a file of its own."""

    def __init__(self, command: list[str], env: dict[str, str], name: str, work: pathlib.Path) -> None:
        self.name = name
        self.log = work / f"{name}.log"
        self.log.touch()
        self.errors = work / f"{name}.err"
        self.ended: int | None = None
        with self.errors.open("wb") as errors:
            # A replica with a host name of its own is found by the holder of its Lease.
            self.process = subprocess.Popen([*command, "--log", str(self.log)], env={**env, "HOSTNAME": name}, stderr=errors)

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def has_ended(self) -> bool:
        """Whether the process has ended, which the first call after its end notes."""
        if self.ended is None and self.process.poll() is not None:
            self.ended = time.time_ns()
        return self.ended is not None

    def end(self, number: int) -> int:
        """Ends the process by a signal. Returns the time of the signal."""
        sent = time.time_ns()
        self.process.send_signal(number)
        self.process.wait()
        self.has_ended()
        return sent

    def reconciles(self) -> list[Reconcile]:
        return read_reconciles(self.log, self.name, self.ended or time.time_ns())

    def memory(self) -> tuple[float, float]:
        """Returns the resident memory and its peak in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        now, peak = (re.search(rf"{field}:\s+(\d+) kB", status) for field in ["VmRSS", "VmHWM"])
        return int(now[1]) / 1024, int(peak[1]) / 1024

    def cpu(self) -> float:
        """Returns the processor time in seconds, in steps of 10 ms."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Sockets:
    """Bytes that processes received from the API server, by process.

    A thread samples the counters of the kernel. What a connection receives after the last sample
    before it closes is not counted: SAMPLED seconds at most.
    """

    def __init__(self, address: str) -> None:
        self.port = address.rpartition(":")[2]
        self.received: dict[tuple[int, str], int] = {}
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stopped.wait(SAMPLED):
            self.sample()

    def sample(self) -> None:
        listed = subprocess.check_output(["ss", "-tinpHO", f"dport = :{self.port}"], text=True)
        for line in listed.splitlines():
            process, received = re.search(r"pid=(\d+)", line), re.search(r"bytes_received:(\d+)", line)
            if process and received:
                self.received[int(process[1]), line.split()[3]] = int(received[1])

    def of(self, replica: Replica) -> float:
        """Returns the MB that a replica has received."""
        self.sample()
        return sum(count for (pid, _), count in list(self.received.items()) if pid == replica.process.pid) / 1e6

    def __enter__(self) -> "Sockets":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()


class Replicas:
    """Running and ended replicas of one program."""

    def __init__(self, command: list[str], plane: ControlPlane, server: ApiServer, work: pathlib.Path) -> None:
        self.command, self.work, self.server = command, work, server
        self.env = {**os.environ, **plane.env}
        self.all: list[Replica] = []
        self.wanted = 0
        self.is_sharded = "--shard-by" in command

    def start(self) -> Replica:
        replica = Replica(self.command, self.env, f"replica-{len(self.all)}", self.work)
        self.all.append(replica)
        return replica

    def scale(self, count: int) -> None:
        """Starts replicas, or ends some of them, until this number runs."""
        self.wanted = count
        ending = self.running[count:]
        for replica in ending:
            replica.signal(signal.SIGTERM)
        for replica in ending:
            replica.process.wait()
            replica.has_ended()
        self.restart()

    def restart(self) -> None:
        """Starts replicas in place of those that have ended, such as a leader that lost its Lease."""
        for _ in range(self.wanted - len(self.running)):
            self.start()

    @property
    def running(self) -> list[Replica]:
        return [replica for replica in self.all if not replica.has_ended()]

    def reconciles(self) -> list[Reconcile]:
        return [reconcile for replica in self.all for reconcile in replica.reconciles()]

    def leader(self) -> Replica:
        """Returns the replica that holds the lock. Without sharding, it is the one that reconciles."""
        if not self.is_sharded:
            begun = [replica for replica in self.running if replica.log.stat().st_size]
            return max(begun, key=lambda it: it.log.stat().st_mtime)
        lock = next(lease for lease in self.leases() if lease["metadata"]["name"] == "bench-scale")
        name = lock["spec"]["holderIdentity"].rpartition("_")[0]
        return next(replica for replica in self.running if replica.name == name)

    def leases(self) -> list[dict]:
        return Connection(self.server).request("GET", LEASES, None)["items"]

    def members(self) -> list[str]:
        """Returns the names of the members' Leases."""
        return [lease["metadata"]["name"] for lease in self.leases() if "genclient/shard-member" in (lease["metadata"].get("annotations") or {})]

    def assignment(self) -> tuple[int, bool]:
        """Returns the generation of the assignment, and whether the running replicas have taken what it gives them."""
        members, followed, generation, holders = set(), set(), 0, {None}
        for lease in self.leases():
            annotations = lease["metadata"].get("annotations") or {}
            if "genclient/shard-member" in annotations:
                member = json.loads(annotations["genclient/shard-member"])
                members.add(lease["metadata"]["uid"])
                followed.add(member.get("follows", {}).get("generation"))
            if "genclient/shard-assignment" in annotations:
                assignment = json.loads(annotations["genclient/shard-assignment"])
                generation = assignment["generation"]
                holders = {slot.get("holder") for slot in assignment["slots"]}
        is_taken = len(members) == self.wanted and holders == members
        return generation, is_taken and len(followed) == 1 and generation in followed

    def wait_until_settled(self) -> None:
        """Restarts replicas that end, until the assignment stays the same and all follow it."""
        if not self.is_sharded:
            return self.restart()
        last, since = None, time.monotonic()

        def is_settled() -> bool:
            nonlocal last, since
            self.restart()
            now = self.assignment()
            if now != last:
                last, since = now, time.monotonic()
            return now[1] and time.monotonic() - since > SETTLED

        wait_until(f"{self.wanted} replicas share the objects", is_settled, 0.5)

    def wait_until_quiet(self) -> None:
        """Waits until no replica reconciles."""

        def is_quiet() -> bool:
            last = max(replica.log.stat().st_mtime for replica in self.all)
            return time.time() - last > QUIET

        wait_until("no replica reconciles", is_quiet)

    def wait_until_calm(self, rate: int) -> None:
        """Waits until queues are empty, while objects are updated at this rate."""
        last = 0

        def is_calm() -> bool:
            nonlocal last
            written = sum(replica.log.stat().st_size for replica in self.all)
            grown, last = written - last, written
            return grown < 2 * rate * LINES

        wait_until("replicas only follow the updates", is_calm, 1)

    def wait_until_reconciled(self, objects: int) -> None:
        wait_until(f"{objects} objects are reconciled", lambda: len({it.key for it in self.reconciles()}) == objects, 1)


@contextmanager
def replicas(command: list[str], plane: ControlPlane, server: ApiServer, work: pathlib.Path) -> Iterator[Replicas]:
    """Runs replicas, which are stopped at the end of the `with` block."""
    work.mkdir(parents=True)
    running = Replicas(command, plane, server, work)
    try:
        yield running
    finally:
        for replica in running.running:
            replica.signal(signal.SIGCONT)
            replica.signal(signal.SIGTERM)
        for replica in running.all:
            try:
                replica.process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                replica.process.kill()
                replica.process.wait()
            replica.has_ended()
