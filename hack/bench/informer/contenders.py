"""The measured programs and their command lines."""

from dataclasses import dataclass, field

from measure import Bench

OURS, RAW, BARE = "genclient", "the stream, nothing decoded", "the stream, decoded into a map"
OURS_LIST = "genclient, list"
GO, GO_LIST = "client-go", "client-go, list"
KUBE_RS, KUBE_RS_LIST = "kube-rs, stream", "kube-rs, list"


@dataclass
class Contender:
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)


def build(bench: Bench) -> dict[str, Contender]:
    own = bench.program("bench-informer")
    go = bench.go_program("informer")
    kube = bench.kube_rs_program("informer", "bench-kube-rs")
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
