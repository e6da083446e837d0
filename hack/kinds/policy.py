"""Writes the roles and bindings that an API server makes when it starts: its bootstrap policy.

    python3 hack/kinds/policy.py KUBECONFIG > runtime/apiserver/data/policy.jsonl

A line has an object without what differs from run to run, in the order of the resource and key.
"""

import json
import sys

from server import Server

RESOURCES = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"]
OWN = ["uid", "resourceVersion", "creationTimestamp", "managedFields"]


def main() -> None:
    """One object a line."""
    server = Server.of(sys.argv[1])
    for resource in RESOURCES:
        listed = server.get(f"/apis/rbac.authorization.k8s.io/v1/{resource}")
        for item in listed["items"]:
            for field in OWN:
                item["metadata"].pop(field)
            print(json.dumps({"resource": resource, "object": item}, separators=(",", ":")))


main()
