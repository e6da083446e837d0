"""Sends sequences of requests (dialogues) to an API server, and prints its responses.

    python3 hack/kinds/dialogues.py KUBECONFIG \
        < runtime/apiserver/tests/dialogues/cases.jsonl > runtime/apiserver/tests/dialogues/answers.jsonl

A line is a dialogue: a list of requests `[METHOD, PATH, CONTENT TYPE, BODY]` or `[METHOD, PATH,
CONTENT TYPE, BODY, ACCEPT]`. The body is a string or JSON. Fields that differ between runs are
removed from the responses: UIDs, resource versions, times and tokens.
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
    "lastUpdateTime",
    "deletionTimestamp",
    "disruptedPods",
}


def normal(value: object) -> object:
    """Returns a response without the fields that differ between runs."""
    if isinstance(value, dict):
        return {key: normal(inner) for key, inner in value.items() if key not in VOLATILE}
    return [normal(inner) for inner in value] if isinstance(value, list) else value


def patient(connection: Connection, request: list) -> tuple[dict, dict]:
    """Returns the response to a request.

    Retries while the response is not JSON: the 404 for a custom resource that is not served yet.
    """
    method, path, media_type, body, *accept = request
    for _ in range(100):
        try:
            return connection.send(method, path, body, media_type, *accept)
        except json.JSONDecodeError:
            time.sleep(0.1)
    raise SystemExit(f"{method} {path}: the response is not JSON")


def main() -> None:
    """Sends one dialogue after the other. Each deletes its objects itself."""
    connection = Connection.to(sys.argv[1])
    for line in sys.stdin:
        answers = []
        for request in json.loads(line):
            answer, found = patient(connection, request)
            answers.append({**answer, "body": normal(found)})
        print(json.dumps(answers, separators=(",", ":"), ensure_ascii=False))


main()
