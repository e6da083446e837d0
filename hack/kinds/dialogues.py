"""Sends dialogues of requests to an API server, and writes its answers.

    python3 hack/kinds/dialogues.py KUBECONFIG \
        < runtime/apiserver/tests/dialogues/cases.jsonl > runtime/apiserver/tests/dialogues/answers.jsonl

A dialogue is a list of requests: `[METHOD, PATH, CONTENT TYPE, BODY]`, the body being a text or JSON; `Accept` may
follow. What differs from run to run is left out of the answers: uids, versions, times and tokens.
"""

import json
import sys
import time

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


def patient(connection: Connection, request: list) -> tuple[dict, dict]:
    """The answer to a request. Custom resources take a moment to be served, and are no JSON until then."""
    method, path, media_type, body, *accept = request
    for _ in range(100):
        try:
            return connection.send(method, path, body, media_type, *accept)
        except json.JSONDecodeError:
            time.sleep(0.1)
    raise SystemExit(f"{method} {path}: no JSON")


def main() -> None:
    """One dialogue after the other; each cleans up behind itself."""
    connection = Connection.to(sys.argv[1])
    for line in sys.stdin:
        answers = []
        for request in json.loads(line):
            answer, found = patient(connection, request)
            answers.append({**answer, "body": normal(found)})
        print(json.dumps(answers, separators=(",", ":"), ensure_ascii=False))


main()
