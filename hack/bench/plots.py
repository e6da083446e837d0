"""Plots tables of docs/speed.md as SVG files in docs/plots/. cargo xtask pages calls this program."""

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs"
COLORS = {
    "genclient": "#b7410e",
    "client-go": "#00758f",
    "controller-runtime": "#00758f",
    "Go": "#00758f",
    "controller-gen": "#5dc9e2",
    "kube": "#7d7d7d",
}
# Factors that convert to seconds and megabytes.
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "MB": 1}
AMOUNT = re.compile(r"(-?[\d.,]+) (ns|µs|ms|s|MB)\b")


def table(start):
    """Returns the rows of the table whose head starts with `start`, by their first cells."""
    lines = (DOCS / "speed.md").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(f"| {start}"))
    rows = {}
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            return rows
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[name.replace("`", "").replace("*", "")] = cells
    return rows


def amounts(cell):
    """Returns the amounts outside of parentheses in a cell: one, or both ends of a range."""
    cell = re.sub(r"\(.*?\)", "", cell)
    return [float(n.replace(",", "")) * UNITS[unit] for n, unit in AMOUNT.findall(cell)]


def middle(cell):
    found = amounts(cell)
    return sum(found) / len(found)


def color(name):
    return next((value for key, value in COLORS.items() if name.startswith(key)), "#bbbbbb")


def figure(columns, height, title):
    found, axes = plt.subplots(1, columns, figsize=(9, height), layout="constrained")
    found.suptitle(title, fontsize=11)
    return found, axes if columns > 1 else [axes]


def bars(axis, title, rows, column, unit):
    names = list(rows)[::-1]
    values = [middle(rows[name][column]) for name in names]
    drawn = axis.barh(names, values, color=[color(name) for name in names])
    for bar, name, value in zip(drawn, names, values):
        ends = amounts(rows[name][column])
        y = bar.get_y() + bar.get_height() / 2
        axis.plot([ends[0], ends[-1]], [y, y], color="black", linewidth=1)
        place = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
        axis.annotate(f"{value:.3g}", (ends[-1], y), fontsize=8, **place)
    axis.set_title(f"{title}, {unit}", fontsize=9)
    axis.margins(x=0.2)
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def panels(name, title, rows, columns):
    found, axes = figure(len(columns), 0.35 * len(rows) + 1.1, title)
    for axis, (column, label, unit) in zip(axes, columns):
        bars(axis, label, rows, column, unit)
        if axis is not axes[0]:
            axis.set_yticklabels([])
    save(found, name)


def save(found, name):
    (DOCS / "plots").mkdir(exist_ok=True)
    file = DOCS / "plots" / f"{name}.svg"
    found.savefig(file, metadata={"Date": None, "Creator": None})
    # matplotlib writes trailing spaces.
    file.write_text("".join(line.rstrip() + "\n" for line in file.read_text().splitlines()))
    plt.close(found)


def generate():
    rows = table("command |")
    found, (axis,) = figure(1, 4, "From source to files")
    for name in [
        "genclient update, from nothing",
        "genclient verify, nothing changed",
        "controller-gen crd",
        "Go's generators, the same artefacts",
        "kube-derive: build and run after a doc comment is edited",
    ]:
        values = [middle(cell) for cell in rows[name][:3]]
        style = "--" if "verify" in name else "-"
        axis.loglog([1, 10, 100], values, style, marker="o", color=color(name), label=name)
    axis.set_xticks([1, 10, 100], ["1 kind", "10 kinds", "100 kinds"])
    axis.set_yticks([0.01, 0.1, 1, 10], ["10 ms", "100 ms", "1 s", "10 s"])
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    save(found, "generate")


def recovery():
    rows = table("all informers watch again")
    found, (axis,) = figure(1, 2.6, "From a ready API server until all informers watch again")
    for i, name in enumerate(["genclient", "client-go", "kube-rs"]):
        at = [place + 0.27 * (i - 1) for place in range(len(rows))]
        values = [middle(cells[i]) for cells in rows.values()]
        drawn = axis.bar(at, values, 0.25, color=color(name), label=name)
        axis.bar_label(drawn, [f"{value:.2g}" for value in values], padding=2, fontsize=8)
    axis.set_xticks(range(len(rows)), [f"outage of {length}" for length in rows])
    axis.set_ylabel("seconds")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(fontsize=8)
    save(found, "recovery")


plt.rcParams.update({"svg.hashsalt": "genclient", "font.size": 9})
generate()
panels(
    "informers",
    "Informers until synced with 43,000 objects",
    table("until synced"),
    [(0, "time", "s"), (1, "CPU", "s"), (2, "peak memory", "MB")],
)
panels(
    "controllers",
    "A no-op reconciler and 20,000 objects",
    table("no-op reconciler"),
    [(0, "until reconciled", "s"), (2, "CPU", "s"), (3, "peak memory", "MB")],
)
recovery()
