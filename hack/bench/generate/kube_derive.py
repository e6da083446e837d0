"""Measurements of kube-derive: a program that prints CRDs has to be compiled and run."""

import pathlib
import shutil

from measure import CARGO, LEAST_RUNS, Bench, Cost, Series, run, say

UP_TO = 100  # maximum number of kinds
PATIENCE = 30  # seconds, after which no build starts if there were LEAST_RUNS
LIMITS = f"kube-derive is built for up to {UP_TO} kinds: rustc's time and memory grow with each."
REGENERATE = "kube-derive: build and run after a doc comment is edited"
MANIFEST = """[package]
name = "kube-derive-bench"
version = "0.1.0"
edition = "2024"

[workspace]

[dependencies]
k8s-openapi = { version = "0.29.0", default-features = false, features = ["schemars", "v1_36"] }
kube = { version = "5.0.0", default-features = false, features = ["derive"] }
schemars = "1"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
"""
DOC = "/// What is wanted of a `BuildAgent`.\n"


def package(bench: Bench, kinds: int) -> tuple[pathlib.Path, dict[str, str]]:
    """Writes a crate with the API set. Returns its folder, and the environment for cargo."""
    folder = bench.api_set("kube-derive", kinds)
    (folder / "Cargo.toml").write_text(MANIFEST)
    shutil.copy(bench.root / "Cargo.lock", folder / "Cargo.lock")
    return folder, {"CARGO_TARGET_DIR": str(bench.cache / "bench-target")}


def first_file(folder: pathlib.Path) -> pathlib.Path:
    return folder / "src" / "apis" / "build.rs"


def measure(bench: Bench, kinds: int) -> dict[str, Series]:
    folder, env = package(bench, kinds)
    source = first_file(folder)
    text = source.read_text()
    say(f"kube-derive, {kinds} kinds: building all")
    run([CARGO, "build", "--quiet"], folder, env)
    program = str(bench.cache / "bench-target" / "debug" / "kube-derive-bench")
    series = Series()
    for number in bench.repeat(PATIENCE, least=LEAST_RUNS):
        say(f"kube-derive, {kinds} kinds, run {number + 1}")
        source.write_text(text.replace(DOC, f"/// Edit number {number}.\n"))
        build = run([CARGO, "build", "--quiet"], folder, env)
        printed = run([program], folder)
        series.costs.append(Cost(build.wall + printed.wall, max(build.memory, printed.memory)))
    return {REGENERATE: series}
