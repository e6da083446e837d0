"""The measured programs and their command lines.

Each program has three modes, and prints its measurements as JSON:

    start OBJECTS NAME     reconciles OBJECTS objects and does nothing for each; ignores NAME
    create OBJECTS NAME    creates a ConfigMap `<object>-<NAME>` for each of OBJECTS objects
    watch OBJECTS UPDATES  prints `synced` after OBJECTS reconciles, then the time of the reconcile
                           of each of UPDATES updates
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
