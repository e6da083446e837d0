"""Compile time of generated code: `cargo check` of 100 kinds with their clients.

The peer is the same kinds with kube-derive, which has no generated clients.
"""

import pathlib
import shutil

from generate import genclient, kube_derive
from measure import CARGO, Bench, Series, ratio, rows, say
from measure import run as execute

KINDS = 100
PATIENCE = 40  # seconds, after which no further run starts
COLD, EDIT = "cold, dependencies compiled", "after one edit of a type"
FIELD = "    /// New.\n    pub added{}: Option<String>,\n"


def checks(bench: Bench, name: str, folder: pathlib.Path, source: pathlib.Path, env: dict[str, str]) -> dict[str, Series]:
    check = [CARGO, "check", "--quiet"]
    text = source.read_text()
    costs = {COLD: Series(), EDIT: Series()}
    say(f"{name}: checking the dependencies")
    execute(check, folder, env)
    for number in bench.repeat(PATIENCE):
        say(f"{name}, check {number + 1}")
        execute([CARGO, "clean", "--quiet", "-p", name], folder, env)
        costs[COLD].costs.append(execute(check, folder, env))
        source.write_text(edited(text, number))
        costs[EDIT].costs.append(execute(check, folder, env))
        source.write_text(text)
    return costs


def edited(text: str, number: int) -> str:
    return text.replace(genclient.SPEC, genclient.SPEC + FIELD.format(number))


def ours(bench: Bench, settings: str = "") -> dict[str, Series]:
    dependencies = f"""[dependencies]
genclient = {{ path = "{bench.root / "runtime"}" }}
k8s-openapi = {{ version = "0.29.0", features = ["v1_36"] }}
serde = {{ version = "1", features = ["derive"] }}
"""
    folder = genclient.package(bench, KINDS, dependencies + settings)
    shutil.copy(bench.root / "Cargo.lock", folder / "Cargo.lock")
    execute([bench.program("cargo-genclient", "genclient"), "update", "-q"], folder)
    env = {"CARGO_TARGET_DIR": str(bench.cache / "bench-target")}
    return checks(bench, "bench", folder, genclient.first_file(folder), env)


def theirs(bench: Bench) -> dict[str, Series]:
    folder, env = kube_derive.package(bench, KINDS)
    return checks(bench, "kube-derive-bench", folder, kube_derive.first_file(folder), env)


def run(bench: Bench) -> dict[str, str]:
    own, peer = ours(bench), theirs(bench)
    head = [f"`cargo check` of {KINDS} kinds", "kinds with clients, listers and informers", "the kinds with kube-derive", "faster", "peak memory"]
    lines = []
    for name in [COLD, EDIT]:
        memory = f"{own[name].memory:.0f} MB, {peer[name].memory:.0f} MB"
        lines.append([name, own[name].time(), peer[name].time(), ratio(own[name], peer[name]), memory])
    return {"compile": f"{bench.machine_up_to()}.\n\n" + rows(head, lines)}
