"""The programs that are measured, and how each is called."""

import pathlib
from dataclasses import dataclass, field

from measure import CARGO, Bench, run, say

OURS, RAW, BARE = "genclient", "the stream, nothing decoded", "the stream, decoded into a map"
OURS_LIST = "genclient, list"
GO, GO_LIST = "client-go", "client-go, list"
KUBE_RS, KUBE_RS_LIST = "kube-rs, stream", "kube-rs, list"


@dataclass
class Contender:
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)


def ours(bench: Bench) -> str:
    run([CARGO, "build", "--quiet", "--release", "--locked", "-p", "bench-informer"], bench.root)
    return bench.program("bench-informer")


def golang(bench: Bench) -> str:
    program = bench.work / "client-go"
    run(["go", "build", "-o", str(program), "."], bench.root / "hack" / "bench" / "informer" / "golang")
    return str(program)


def kube_rs(bench: Bench) -> str:
    target: pathlib.Path = bench.cache / "bench-target"
    folder = bench.root / "hack" / "bench" / "informer" / "kube_rs"
    run([CARGO, "build", "--quiet", "--release", "--locked"], folder, {"CARGO_TARGET_DIR": str(target)})
    return str(target / "release" / "bench-kube-rs")


def build(bench: Bench) -> dict[str, Contender]:
    say("building the contenders")
    own, go, kube = ours(bench), golang(bench), kube_rs(bench)
    return {
        OURS: Contender([own, "sync"]),
        OURS_LIST: Contender([own, "sync", "--list"]),
        RAW: Contender([own, "raw"]),
        BARE: Contender([own, "bare"]),
        GO: Contender([go, "sync"]),
        GO_LIST: Contender([go, "sync"], {"KUBE_FEATURE_WatchListClient": "false"}),
        KUBE_RS: Contender([kube, "sync"]),
        KUBE_RS_LIST: Contender([kube, "sync", "list"]),
    }
