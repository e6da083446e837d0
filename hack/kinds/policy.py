"""Prints the bootstrap policy of an API server: the roles and bindings that it creates at start.

    python3 hack/kinds/policy.py KUBECONFIG > runtime/apiserver/data/policy.jsonl

A line has a resource and an object, without metadata that differs between runs. Lines are in the
order of the resources below, then in that of the list.
"""

import json
import sys

from server import Server

RESOURCES = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"]
OWN = ["uid", "resourceVersion", "creationTimestamp", "managedFields"]


def main() -> None:
    """Prints one object per line."""
    server = Server.of(sys.argv[1])
    for resource in RESOURCES:
        listed = server.get(f"/apis/rbac.authorization.k8s.io/v1/{resource}")
        for item in listed["items"]:
            for field in OWN:
                item["metadata"].pop(field)
            print(json.dumps({"resource": resource, "object": item}, separators=(",", ":")))


main()
