"""Sends dialogues of requests to an API server, and writes its answers.

    python3 hack/kinds/dialogues.py KUBECONFIG \
        < runtime/apiserver/tests/dialogues/cases.jsonl > runtime/apiserver/tests/dialogues/answers.jsonl

A dialogue is a list of requests: `[METHOD, PATH, CONTENT TYPE, BODY]`, the body being a text or JSON. What differs
from run to run is left out of the answers: uids, versions, times and tokens.
"""

import json
import sys

from server import Connection

VOLATILE = {
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "time",
    "token",
    "expirationTimestamp",
    "lastTransitionTime",
    "lastPhaseTransitionTime",
}


def normal(value: object) -> object:
    """An answer as it is in every run."""
    if isinstance(value, dict):
        return {key: normal(inner) for key, inner in value.items() if key not in VOLATILE}
    return [normal(inner) for inner in value] if isinstance(value, list) else value


def main() -> None:
    """One dialogue after the other; each cleans up behind itself."""
    connection = Connection.to(sys.argv[1])
    for line in sys.stdin:
        answers = []
        for method, path, media_type, body in json.loads(line):
            answer, found = connection.send(method, path, body, media_type)
            answers.append({**answer, "body": normal(found)})
        print(json.dumps(answers, separators=(",", ":"), ensure_ascii=False))


main()
