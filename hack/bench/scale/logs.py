"""Logs of replicas and of the updates. Times are in nanoseconds since 1970."""

import pathlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

# By kind: a reconcile reads the Foo and the ConfigMap with its name.
KINDS = ["Foo", "ConfigMap"]


@dataclass(slots=True)
class Reconcile:
    key: str  # namespace/name
    replica: str  # one process
    begin: int
    versions: tuple[int, int]  # resource versions that it read, in the order of KINDS
    end: int = 0
    is_done: bool = False


class Update(NamedTuple):
    acknowledged: int
    kind: str
    key: str
    version: int


def read_reconciles(path: pathlib.Path, replica: str, ended: int) -> list[Reconcile]:
    """Reads the log of a process. What it had not ended, ended with the process."""
    begun: dict[str, Reconcile] = {}
    for line in lines(path):
        match line:
            case ["begin", number, begin, key, foo, config_map]:
                versions = int(foo), 0 if config_map == "-" else int(config_map)
                begun[number] = Reconcile(key, replica, int(begin), versions, ended)
            case ["done" | "dropped" as how, number, end]:
                begun[number].end, begun[number].is_done = int(end), how == "done"
    return list(begun.values())


def read_failures(path: pathlib.Path) -> list[str]:
    return [" ".join(line[2:]) for line in lines(path) if line[0] == "failed"]


def read_updates(path: pathlib.Path) -> list[Update]:
    return [Update(int(at), kind, key, int(version)) for at, kind, key, version in lines(path)]


def lines(path: pathlib.Path) -> Iterable[list[str]]:
    """Yields the words of each line that was written to its end."""
    with path.open() as file:
        for line in file:
            if line.endswith("\n"):
                yield line.split()


def by_key(reconciles: Iterable[Reconcile]) -> dict[str, list[Reconcile]]:
    """Returns the reconciles of each object in order."""
    grouped: dict[str, list[Reconcile]] = defaultdict(list)
    for reconcile in sorted(reconciles, key=lambda it: it.begin):
        grouped[reconcile.key].append(reconcile)
    return grouped


def lags(updates: list[Update], grouped: dict[str, list[Reconcile]]) -> list[tuple[float, Update]]:
    """Returns the seconds from each update to the begin of the first reconcile that read it.

    They are infinite if there is none.
    """
    found = []
    for update in updates:
        kind = KINDS.index(update.kind)
        begins = (it.begin for it in grouped[update.key] if it.versions[kind] >= update.version)
        begin = next(begins, None)
        found.append(((begin - update.acknowledged) / 1e9 if begin else float("inf"), update))
    return found
