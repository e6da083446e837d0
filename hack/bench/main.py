"""Benchmarks: runs the selected parts, and prints their tables or writes them into docs/speed.md.

`cargo xtask bench` calls this program and passes its arguments. A part is a package beside this file with
a function `run`, which returns Markdown by the name of its place in the docs.
"""

import argparse
import importlib
import os
import pathlib
import re
import tempfile

from measure import Bench, say

PARTS = ["generate", "compile", "apply", "informer", "controller", "program", "recovery", "workqueue", "apiserver", "scale", "scale.proof"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "speed.md"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cargo xtask bench", description="Benchmarks genclient and its peers.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="one of " + ", ".join(PARTS) + "; default: all")
    parser.add_argument("--runs", type=int, default=5, help="number of runs of each measurement; default: 5")
    parser.add_argument("--kinds", type=int, nargs="+", default=[1, 10, 100, 1000], help="sizes of the API set in kinds; default: 1 10 100 1000")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/speed.md")
    chosen = parser.parse_args()
    for part in chosen.parts:
        if part not in PARTS:
            parser.error(f"unknown part `{part}`: expected one of {', '.join(PARTS)}")
    return chosen


def write(mark: str, text: str) -> None:
    """Replaces the text between the two lines of a mark in the document."""
    begin, end = f"<!-- {mark}: cargo xtask bench -->", f"<!-- {mark}: end -->"
    old = DOCUMENT.read_text()
    new, count = re.subn(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n{text}{end}", old, flags=re.S)
    if count != 1:
        raise SystemExit(f"{DOCUMENT} has the lines `{begin}` and `{end}` {count} times: add them once, where the table belongs")
    DOCUMENT.write_text(new)


def main() -> None:
    chosen = arguments()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "genclient"
    with tempfile.TemporaryDirectory(prefix="genclient-bench-") as work:
        bench = Bench(root=ROOT, cache=cache, work=pathlib.Path(work), runs=chosen.runs, kinds=chosen.kinds)
        for part in chosen.parts or PARTS:
            say(f"== {part}")
            for mark, text in importlib.import_module(part).run(bench).items():
                if chosen.write:
                    write(mark, text)
                else:
                    print(text, flush=True)


if __name__ == "__main__":
    main()
