"""Creates objects of built-in kinds in an API server, and prints their table rows.

    python3 hack/kinds/tables.py KUBECONFIG \
        < runtime/apiserver/tests/tables/cases.jsonl > runtime/apiserver/tests/tables/answers.jsonl

A case has a path and a body to POST there. It may have a `status`, with which the object is patched.
With `delete`, the object is deleted before its row is read. A case whose row shows the age `1s` is
repeated, so that ages are reproducible. Cases have addresses of 10.96.0.0/24, which has to be the
server's --service-cluster-ip-range.
"""

import json
import sys

from server import Server

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
MERGE = "application/merge-patch+json"


def answer(server: Server, case: dict) -> dict:
    """Creates an object. Returns its table row and its creation time."""
    path, name = case["path"], case["body"]["metadata"]["name"]
    code, _, text = server.request("POST", path + "?fieldValidation=Ignore", case["body"])
    if code != 201:
        raise SystemExit(f"{case}: {code} {text}")
    created = json.loads(text)["metadata"]["creationTimestamp"]
    if "status" in case:
        body = {"status": case["status"]}
        code, _, text = server.request("PATCH", f"{path}/{name}/status", body, Content_Type=MERGE)
        if code != 200:
            print(f"{case}: {code} {text}", file=sys.stderr)
    if case.get("delete"):
        server.request("DELETE", f"{path}/{name}")
    table = server.get(f"{path}/{name}", TABLE)
    row = table["rows"][0]
    clean_up(server, f"{path}/{name}")
    uid = row["object"]["metadata"]["uid"]
    cells = [cell.replace(uid, "UID") if isinstance(cell, str) else cell for cell in row["cells"]]
    out = {"created": created, "columns": len(table["columnDefinitions"]), "cells": cells}
    return {**out, "conditions": row["conditions"]} if "conditions" in row else out


def clean_up(server: Server, path: str) -> None:
    """Deletes an object without grace period, with its finalizers."""
    server.request("PATCH", path, {"metadata": {"finalizers": None}}, Content_Type=MERGE)
    server.request("DELETE", path, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})
    server.request("PATCH", path, {"metadata": {"finalizers": None}}, Content_Type=MERGE)


def main() -> None:
    """Sends one case after the other."""
    server = Server.of(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        found = answer(server, case)
        while "1s" in found["cells"]:
            found = answer(server, case)
        print(json.dumps(found, separators=(",", ":"), ensure_ascii=False))


main()
