"""The programs that are measured, and how each is called.

Every one has three modes, and prints JSON:

    start OBJECTS NAME     reconciles so many objects, and does nothing for each
    create OBJECTS NAME    creates a ConfigMap for each of so many objects, called `<object>-<NAME>`
    watch OBJECTS UPDATES  prints `synced` after so many objects, then when it reconciled each update
"""

from dataclasses import dataclass

from measure import Bench

OURS, BY_HAND = "genclient-controller", "a loop by hand on our informer, queue and lister"
GO, KUBE_RS = "controller-runtime", "kube-rs"


@dataclass
class Contender:
    command: list[str]
    label: str


def build(bench: Bench) -> dict[str, Contender]:
    own = bench.program("bench-controller")
    return {
        BY_HAND: Contender([own, "by-hand"], "by-hand"),
        OURS: Contender([own, "layer"], "layer"),
        GO: Contender([bench.go_program("controller")], "go"),
        KUBE_RS: Contender([bench.kube_rs_program("controller", "bench-controller-kube-rs")], "kube-rs"),
    }
