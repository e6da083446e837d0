"""Measurement of commands: wall time and memory, with the formatting of results."""

import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

CARGO = os.environ.get("CARGO", "cargo")
LEAST_RUNS = 3  # minimum number of runs for a range of ratios


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@dataclass
class Cost:
    """Cost of one run of a command."""

    wall: float  # seconds
    memory: float  # MB, of the largest process
    output: str = ""
    ended: bool = True  # False if it was killed at its time limit


@dataclass
class Series:
    """Costs of several runs of a command."""

    costs: list[Cost] = field(default_factory=list)

    @property
    def walls(self) -> list[float]:
        return [cost.wall for cost in self.costs]

    @property
    def median(self) -> float:
        return statistics.median(self.walls)

    @property
    def memory(self) -> float:
        return max(cost.memory for cost in self.costs)

    @property
    def ended(self) -> bool:
        return all(cost.ended for cost in self.costs)

    def time(self) -> str:
        if not self.ended:
            return f"more than {seconds(self.median)}"
        if len(self.walls) == 1:
            return f"{seconds(self.median)} (1 run)"
        return f"{seconds(self.median)} ({seconds(min(self.walls))}–{seconds(max(self.walls))}; {len(self.walls)})"


def total(parts: list[Series]) -> Series:
    """Returns the costs of commands in sequence: the sum of times, the maximum of memory."""
    runs = zip(*(part.costs for part in parts))
    return Series([
        Cost(sum(c.wall for c in run), max(c.memory for c in run), ended=all(c.ended for c in run)) for run in runs
    ])


def seconds(value: float) -> str:
    if value < 0.0995:
        return f"{value * 1000:.3g} ms"
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.3g} s"


def ratio(ours: Series, theirs: Series) -> str:
    least = "" if theirs.ended else "more than "
    return least + ratio_range(ours.walls, theirs.walls)


def ratio_range(ours: list[float], theirs: list[float]) -> str:
    """Returns the range of the ratios theirs/ours of all pairs of runs, such as `2.0–3.5x`."""
    ratios = [their / own for own, their in zip(ours, theirs)]
    digits = 0 if max(ratios) >= 10 else 1
    least, most = f"{min(ratios):.{digits}f}", f"{max(ratios):.{digits}f}"
    return f"{most}x" if least == most else f"{least}–{most}x"


def run(command: list[str], cwd: pathlib.Path, env: dict[str, str] | None = None, limit: float | None = None) -> Cost:
    """Runs a command until it ends, or for `limit` seconds. Exits the benchmark if it fails."""
    environment = {**os.environ, **(env or {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=cwd, env=environment, start_new_session=limit is not None, **pipes) as child:
        start = time.perf_counter()
        # Kills the whole process group: a surviving child would keep the pipe open.
        timer = threading.Timer(limit or 0, os.killpg, [child.pid, signal.SIGKILL])
        if limit is not None:
            timer.start()
        output = child.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    ended = limit is None or wall < limit
    if ended and child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\nin {cwd}: exit code {child.returncode}\n{output[-4000:]}")
    return Cost(wall, usage.ru_maxrss / 1024, output, ended)


@dataclass
class Bench:
    """Settings of a benchmark, and the programs that it has built."""

    root: pathlib.Path
    cache: pathlib.Path
    work: pathlib.Path  # removed at the end
    runs: int
    kinds: list[int]
    built: set[str] = field(default_factory=set)

    def repeat(self, patience: float = math.inf, least: int = 1) -> Iterator[int]:
        """Yields run numbers. After `least` runs, stops when `patience` seconds have passed."""
        start = time.monotonic()
        for number in range(self.runs):
            if number >= least and time.monotonic() - start > patience:
                return
            yield number

    def program(self, package: str, name: str | None = None) -> str:
        """Builds a program of this workspace in release mode. Its default name is the package's."""
        if package not in self.built:
            say(f"building {package}")
            run([CARGO, "build", "--quiet", "--release", "--locked", "-p", package], self.root)
            self.built.add(package)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", self.root / "target"))
        return str(self.root / target / "release" / (name or package))

    def go_program(self, part: str) -> str:
        """Builds the Go program of a part, from the folder `golang`."""
        program = str(self.work / f"{part}-client-go")
        say(f"building {part}/golang")
        run(["go", "build", "-o", program, "."], self.part(part) / "golang")
        return program

    def kube_rs_program(self, part: str, name: str) -> str:
        """Builds the kube-rs program of a part, from its workspace in the folder `kube_rs`."""
        target = self.cache / "bench-target"
        say(f"building {name}")
        run([CARGO, "build", "--quiet", "--release", "--locked"], self.part(part) / "kube_rs", {"CARGO_TARGET_DIR": str(target)})
        return str(target / "release" / name)

    def part(self, name: str) -> pathlib.Path:
        return self.root / "hack" / "bench" / name

    def api_set(self, spelling: str, kinds: int) -> pathlib.Path:
        """Writes the API set in the source form of one generator. Returns its folder."""
        folder = self.work / f"{spelling}-{kinds}"
        run([self.program("apiset"), spelling, str(kinds), str(folder)], self.work)
        return folder

    def machine(self) -> str:
        """Describes the machine, and the figures of a table in which every figure has all runs."""
        return f"{hardware()}; " + ("1 run" if self.runs == 1 else f"median of {self.runs} runs")

    def machine_up_to(self) -> str:
        """Describes the machine, and the figures of a table whose runs may end early (`Series.time`)."""
        figures = "1 run" if self.runs == 1 else f"median of up to {self.runs} runs (least–most; how many)"
        return f"{hardware()}; {figures}"


def hardware() -> str:
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {gigabytes:.0f} GB"


def spread(least: int, most: int) -> str:
    """Names what a range of figures covers: `range over 3 runs`, or `range over 3 to 5 runs`."""
    if most == 1:
        return "1 run"
    return f"range over {most} runs" if least == most else f"range over {least} to {most} runs"


def rows(head: list[str], lines: list[list[str]]) -> str:
    """Returns a Markdown table."""
    table = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in table)
