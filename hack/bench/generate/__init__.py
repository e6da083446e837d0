"""Generation time: `genclient`, code-generator, controller-gen and kube-derive on one API set."""

from measure import Bench, Series, ratio, rows, seconds, spread, total

from . import genclient, golang, kube_derive


def run(bench: Bench) -> dict[str, str]:
    costs: dict[int, dict[str, Series]] = {}
    for kinds in bench.kinds:
        costs[kinds] = genclient.measure(bench, kinds)
        costs[kinds] |= golang.measure(bench, kinds)
        if kinds <= kube_derive.UP_TO:
            costs[kinds] |= kube_derive.measure(bench, kinds)
    for of_size in costs.values():
        of_size[SAME] = total([of_size[name] for name in golang.SAME])
        of_size[ALL] = total([of_size[name] for name in golang.SAME + golang.ALSO])
    compared = ratios(costs)
    return {"generate": compared + "\n" + linear(costs) + "\n" + times(bench, costs)}


NOT_BUILT = "not built"
SAME = "**Go's generators, the same artefacts**"
ALL = "**Go's generators, with deep copies and registration**"


def ratios(costs: dict[int, dict[str, Series]]) -> str:
    peers = [SAME, ALL, "controller-gen crd", kube_derive.REGENERATE]
    runs = [len(of_size[peer].costs) for of_size in costs.values() for peer in peers if peer in of_size]
    over = spread(min(runs), max(runs))
    what = f"how many times faster `genclient update` is, when no file has been generated yet ({over})"
    head = [what] + [kinds_of(kinds) for kinds in costs]

    def times(of_size: dict[str, Series], peer: str) -> str:
        return ratio(of_size[genclient.NOTHING], of_size[peer]) if peer in of_size else NOT_BUILT

    return rows(head, [[peer] + [times(of_size, peer) for of_size in costs.values()] for peer in peers])


def linear(costs: dict[int, dict[str, Series]]) -> str:
    head = ["time per kind, when there are"] + [kinds_of(kinds) for kinds in costs]
    lines = []
    for name in [genclient.NOTHING, genclient.VERIFY]:
        lines.append([name] + [seconds(costs[kinds][name].median / kinds) for kinds in costs])
    return rows(head, lines)


def times(bench: Bench, costs: dict[int, dict[str, Series]]) -> str:
    names = list(dict.fromkeys(name for of_size in costs.values() for name in of_size))
    largest = {name: max(kinds for kinds in costs if name in costs[kinds]) for name in names}
    head = ["command"] + [kinds_of(kinds) for kinds in costs] + ["peak memory, most kinds"]
    lines = []
    for name in names:
        of_size = [costs[kinds][name].time() if name in costs[kinds] else NOT_BUILT for kinds in costs]
        lines.append([name, *of_size, f"{costs[largest[name]][name].memory:.0f} MB"])
    return f"{bench.machine_up_to()}. {golang.VERSIONS} {kube_derive.LIMITS}\n\n" + rows(head, lines)


def kinds_of(number: int) -> str:
    return "1 kind" if number == 1 else f"{number} kinds"
