"""Records responses of kube-apiserver to requests of several users, for the tests `authorization`.

    export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
    tests=runtime/apiserver/tests/authorization
    python3 hack/authorization/main.py SEED COUNT > $tests/random.jsonl
    python3 hack/authorization/main.py $tests/cases.jsonl > $tests/cases.jsonl.new

With SEED and COUNT, the requests are random. With a file, they are those of the file. The test sends
the same requests to the API server in the process. An access review with a reason is repeated: the
reasons of authorizers are in random order, and a line has all that were seen.
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
# Seconds until the authorizer's informers have a write to an RBAC object.
WAIT = 0.05


def reason(answer: object) -> object:
    status = answer.get("status") if isinstance(answer, dict) else None
    return status.get("reason") if isinstance(status, dict) else None


def main() -> None:
    """Prints one request per line, with the code and the body of its response."""
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
