"""Sends requests of several users to an API server, and writes them with its answers.

    python3 hack/authorization/main.py SEED COUNT > runtime/apiserver/tests/authorization/random.jsonl
    python3 hack/authorization/main.py cases.jsonl > runtime/apiserver/tests/authorization/cases.jsonl.new

They are random, or those of a file. The server comes from KUBEBUILDER_ASSETS. The test `authorization` sends the same
requests to the server in the process. What authorizers remember for some seconds is asked for once only; what they
answer in random order, several times.
"""

import itertools
import json
import pathlib
import sys
import tempfile
import time
import urllib.parse

from generate import NAMESPACES, RBAC, Requests, request
from server import ADMIN, Server

REQUEST = ["token", "method", "path", "headers", "body"]
# How long authorizers may need to see a write.
WAIT = 0.05


def reason(answer: object) -> object:
    status = answer.get("status") if isinstance(answer, dict) else None
    return status.get("reason") if isinstance(status, dict) else None


def main() -> None:
    """One request a line, with the code and the body of its answer."""
    if len(sys.argv) > 2:
        requests, count = Requests(int(sys.argv[1])), int(sys.argv[2])
        others = (requests.next() for _ in range(count - len(NAMESPACES)))
    else:
        lines = pathlib.Path(sys.argv[1]).read_text().splitlines()[len(NAMESPACES):]
        others = ({key: line[key] for key in REQUEST if key in line} for line in map(json.loads, lines))
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder))
        try:
            setup = [request(ADMIN, "POST", "/api/v1/namespaces", {"metadata": {"name": name}}) for name in NAMESPACES]
            for made in itertools.chain(setup, others):
                path = urllib.parse.quote(made["path"], safe="/?=%:&,!")
                parts = [made["token"], made["method"], path, made.get("body"), made.get("headers", {})]
                code, answer = server.send(*parts)
                line = {**made, "path": path, "code": code, "answer": answer}
                if reason(answer):
                    found = sorted({reason(answer), *(reason(server.send(*parts)[1]) for _ in range(12))})
                    line["reasons"] = found
                print(json.dumps(line, separators=(",", ":")))
                if made["path"].startswith(RBAC) and made["method"] != "GET":
                    time.sleep(WAIT)
        finally:
            server.stop()


main()
