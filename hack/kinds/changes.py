"""Prints random cases of built-in kinds for hack/kinds/answers.py.

    python3 hack/kinds/changes.py SEED COUNT [PART...] > FOLDER/cases.jsonl
    python3 hack/kinds/answers.py KUBECONFIG < FOLDER/cases.jsonl > FOLDER/answers.jsonl
    KIND_CASES=FOLDER cargo test -p genclient-apiserver --test integration kinds

Each case is a checked-in case that the API server accepted, with one random change in the created
object or in an update. With PARTs, only cases whose path contains one of them are used.
"""

import copy
import json
import pathlib
import random
import sys
from typing import Iterator

FOLDER = pathlib.Path(__file__).parents[2] / "runtime/apiserver/tests/kinds"

VALUES = [
    None, True, False, 0, -1, 1, 70000, 3000000000, 1.5, "", "x", "A_b", "a.b", "5", "25%", "100m",
    "YQ==", "2026-01-01T00:00:00Z", [], {}, ["x"], {"a": "b"}, [{}],
]


def places(value: object, path: tuple = ()) -> Iterator[tuple]:
    """Yields the path of every member and item below a value, except the metadata of the object."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        if path or key != "metadata":
            yield path + (key,)
            yield from places(inner, path + (key,))


def change(body: dict) -> None:
    """Removes, repeats or replaces one random member or item."""
    paths = list(places(body))
    if not paths:
        return
    *outer, last = random.choice(paths)
    holder = body
    for key in outer:
        holder = holder[key]
    kind = random.random()
    if kind < 0.35:
        del holder[last]
    elif kind < 0.45 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[last]))
    else:
        holder[last] = copy.deepcopy(random.choice(VALUES))


def main() -> None:
    """Changes the body of a create, or adds an update with a changed body."""
    seed, count, *parts = sys.argv[1:]
    random.seed(int(seed))
    pairs = zip(*(map(json.loads, (FOLDER / name).open()) for name in ["cases.jsonl", "answers.jsonl"]))
    taken = [case for case, answer in pairs if answer["create"]["code"] == 201]
    taken = [case for case in taken if not parts or any(part in case["path"] for part in parts)]
    for _ in range(int(count)):
        case = copy.deepcopy(random.choice(taken))
        if random.random() < 0.3:
            case["update"] = copy.deepcopy(case["body"])
            change(case["update"])
        else:
            case.pop("update", None)
            change(case["body"])
        print(json.dumps(case))


main()
