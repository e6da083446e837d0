"""Cost of apply configurations: `genclient update` and `cargo check` with and without them."""

import shutil

from compile import COLD, EDIT, KINDS, ours
from generate import genclient
from measure import Bench, Series, ratio, rows, say
from measure import run as execute

SETTING = "[package.metadata.genclient]\napply-configurations = true\n"


def updates(bench: Bench) -> list[Series]:
    """Measures both in turn, so that a change of the machine's speed affects both."""
    folder = genclient.package(bench, KINDS)
    manifest = folder / "Cargo.toml"
    text = manifest.read_text()
    program = bench.program("cargo-genclient", "genclient")
    without, with_them = Series(), Series()
    for number in bench.repeat():
        say(f"apply configurations, run {number + 1}")
        for series, settings in [(without, ""), (with_them, SETTING)]:
            manifest.write_text(text + settings)
            shutil.rmtree(folder / "pkg" / "client", ignore_errors=True)
            shutil.rmtree(folder / "config", ignore_errors=True)
            series.costs.append(execute([program, "update", "-q"], folder))
    return [without, with_them]


def run(bench: Bench) -> dict[str, str]:
    updated = updates(bench)
    checked = [ours(bench, settings) for settings in ["", SETTING]]
    measured = {genclient.NOTHING: updated}
    for name in [COLD, EDIT]:
        measured[f"`cargo check`, {name}"] = [costs[name] for costs in checked]
    head = [f"{KINDS} kinds", "without apply configurations", "with apply configurations", "times as much", "peak memory"]
    lines = []
    for name, (without, with_them) in measured.items():
        memory = f"{without.memory:.0f} MB, {with_them.memory:.0f} MB"
        lines.append([name, without.time(), with_them.time(), ratio(without, with_them), memory])
    return {"apply": f"{bench.machine_up_to()}.\n\n" + rows(head, lines)}
