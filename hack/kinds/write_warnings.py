"""Sends writes of built-in kinds to an API server, and prints the warnings of its responses.

    python3 hack/kinds/write_warnings.py KUBECONFIG \
        < runtime/apiserver/tests/warnings/cases.jsonl > runtime/apiserver/tests/warnings/answers.jsonl

A case has a path and a body to POST there. It may have an `update`, which is PUT over the object,
and a `status`, which is PUT to its status subresource. For each request, the output has the code and
the warnings.
"""

import json
import sys

from server import Connection


def main() -> None:
    """Sends one case after the other, and deletes its object."""
    connection = Connection.to(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        path, name = case["path"], case["body"]["metadata"]["name"]
        out = {}
        out["create"], created = connection.send("POST", path + "?fieldValidation=Ignore", case["body"])
        version = created.get("metadata", {}).get("resourceVersion")
        for verb, place in [("update", f"{path}/{name}"), ("status", f"{path}/{name}/status")]:
            if verb in case and out["create"]["code"] == 201:
                body = case[verb]
                body["metadata"]["resourceVersion"] = version
                out[verb], updated = connection.send("PUT", place + "?fieldValidation=Ignore", body)
                version = updated.get("metadata", {}).get("resourceVersion") or version
        if out["create"]["code"] == 201:
            # No controller runs that would remove protection finalizers.
            patch = {"metadata": {"finalizers": None}}
            connection.send("PATCH", f"{path}/{name}", patch, "application/merge-patch+json")
            options = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
            connection.send("DELETE", f"{path}/{name}", options)
        print(json.dumps(out, separators=(",", ":"), ensure_ascii=False))


main()
