"""Measurements of `genclient update` and `genclient verify`."""

import pathlib
import shutil

from measure import Bench, Series, run, say

NOTHING = "`genclient update`, from nothing"
FIELD = "`genclient update`, one field changed"
UNCHANGED = "`genclient update`, nothing changed"
VERIFY = "`genclient verify`, nothing changed"
MANIFEST = '[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2024"\n\n[lib]\npath = "pkg/lib.rs"\n\n[workspace]\n\n'
DEPENDENCIES = '[dependencies]\ngenclient = "0.1"\nserde = "1"\n'
SPEC = "pub struct BuildAgentSpec {\n"


def package(bench: Bench, kinds: int, dependencies: str = DEPENDENCIES) -> pathlib.Path:
    """Writes a package with the API set. Returns its folder."""
    folder = bench.api_set("genclient", kinds)
    (folder / "Cargo.toml").write_text(MANIFEST + dependencies)
    (folder / "pkg" / "lib.rs").write_text("pub mod apis;\npub mod client;\n")
    return folder


def first_file(folder: pathlib.Path) -> pathlib.Path:
    return folder / "pkg" / "apis" / "build" / "v1.rs"


def measure(bench: Bench, kinds: int) -> dict[str, Series]:
    folder = package(bench, kinds)
    program = bench.program("cargo-genclient", "genclient")
    update, verify = ([program, verb, "-q"] for verb in ("update", "verify"))
    source = first_file(folder)
    text = source.read_text()
    costs = {name: Series() for name in [NOTHING, FIELD, UNCHANGED, VERIFY]}
    for number in bench.repeat():
        say(f"genclient, {kinds} kinds, run {number + 1}")
        shutil.rmtree(folder / "pkg" / "client", ignore_errors=True)
        shutil.rmtree(folder / "config", ignore_errors=True)
        costs[NOTHING].costs.append(run(update, folder))
        source.write_text(text.replace(SPEC, f"{SPEC}    /// New.\n    pub added{number}: String,\n"))
        costs[FIELD].costs.append(run(update, folder))
        costs[UNCHANGED].costs.append(run(update, folder))
        costs[VERIFY].costs.append(run(verify, folder))
        source.write_text(text)
    return costs
