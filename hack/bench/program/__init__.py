"""Costs of a controller program: its dependencies, its builds and its binary.

The programs are those of the part `controller`, built in a copy of this workspace.
"""

import pathlib
import re
import shutil
from dataclasses import dataclass, field

from controller.contenders import GO, KUBE_RS, OURS
from measure import CARGO, Bench, Series, ratio, ratio_range, rows, say
from measure import run as execute

OFFLINE = {"CARGO_NET_OFFLINE": "true", "GOPROXY": "off"}  # no build includes a download
EDITED = '"synced"'  # a string that each program prints


@dataclass
class Program:
    main: pathlib.Path
    dependencies: list[str]  # prints one per line, by name and version
    build: list[str]
    release: list[str]  # arguments added to `build`
    binary: pathlib.Path  # of the release
    output: pathlib.Path  # folder of all compiled files
    env: dict[str, str]
    clean: Series = field(default_factory=Series)
    edited: Series = field(default_factory=Series)

    def execute(self, command: list[str], env: dict[str, str] = OFFLINE):
        return execute(command, self.main.parent, {**self.env, **env})

    def count(self) -> int:
        self.execute(self.dependencies, {})  # downloads the sources, which adds lines to the output
        lines = self.execute(self.dependencies).output.splitlines()
        return len({tuple(line.split()[:2]) for line in lines if line})

    def measure(self, number: int) -> None:
        text = self.main.read_text()
        shutil.rmtree(self.output, ignore_errors=True)
        self.clean.costs.append(self.execute(self.build))
        self.main.write_text(text.replace(EDITED, f'"synced {number}"'))
        self.edited.costs.append(self.execute(self.build))
        self.main.write_text(text)

    def size(self) -> float:
        self.execute([*self.build, *self.release])
        return self.binary.stat().st_size / 1e6


def rust(bench: Bench, folder: pathlib.Path, name: str) -> Program:
    target = bench.work / f"{name}-target"
    tree = [CARGO, "tree", "--quiet", "--locked", "-e", "normal,build", "--prefix", "none"]
    build = [CARGO, "build", "--quiet", "--locked"]
    env = {"CARGO_TARGET_DIR": str(target), "CARGO_PROFILE_RELEASE_STRIP": "true"}
    return Program(folder / "src" / "main.rs", tree, build, ["--release"], target / "release" / name, target, env)


def golang(bench: Bench, folder: pathlib.Path) -> Program:
    cache, binary = bench.work / "go-cache", bench.work / "program-go"
    modules = ["go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}"]
    build = ["go", "build", "-o", str(binary)]
    return Program(folder / "main.go", modules, build, ["-ldflags", "-s -w"], binary, cache, {"GOCACHE": str(cache)})


def run(bench: Bench) -> dict[str, str]:
    copy = bench.work / "copy"
    shutil.copytree(bench.root, copy, ignore=shutil.ignore_patterns(".git", "target"))
    manifest = copy / "Cargo.toml"
    # Both Rust programs are built with Cargo's default debug profile, as in a user's workspace.
    manifest.write_text(re.sub(r"^\[profile\.dev[^\[]*", "", manifest.read_text(), flags=re.M))
    part = copy / "hack" / "bench" / "controller"
    programs = {
        OURS: rust(bench, part / "ours", "bench-controller"),
        GO: golang(bench, part / "golang"),
        KUBE_RS: rust(bench, part / "kube_rs", "bench-controller-kube-rs"),
    }
    counts = [program.count() for program in programs.values()]
    for number in bench.repeat():
        for name, program in programs.items():
            say(f"{name}, run {number + 1} of {bench.runs}")
            program.measure(number)
    say("release builds")
    sizes = [program.size() for program in programs.values()]
    rustc, go = (execute([tool, argument], copy).output.split() for tool, argument in [("rustc", "--version"), ("go", "version")])
    head = (
        f"{bench.machine()} (least–most; how many). controller-runtime 0.25.2, kube 5.0.0, "
        f"Rust {rustc[1]}, Go {go[2].removeprefix('go')}.\n\n"
    )
    lines = [
        ["crates; modules in Go", *amounts(counts, "{}")],
        ["build from nothing", *times([program.clean for program in programs.values()])],
        ["build after an edit", *times([program.edited for program in programs.values()])],
        ["stripped binary", *amounts(sizes, "{:.1f} MB")],
    ]
    return {"program": head + rows(["a controller program", *programs], lines)}


def times(measured: list[Series]) -> list[str]:
    own, *peers = measured
    return [own.time(), *(f"{peer.time()}, {ratio(own, peer)}" for peer in peers)]


def amounts(values: list[float], form: str) -> list[str]:
    own, *peers = values
    return [form.format(own), *(f"{form.format(peer)}, {ratio_range([own], [peer])}" for peer in peers)]
