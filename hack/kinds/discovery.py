"""Prints the discovery documents of an API server, for the tests `discovery`.

    python3 hack/kinds/discovery.py KUBECONFIG > runtime/apiserver/tests/discovery/documents.jsonl

The documents include a custom kind, which the program installs and deletes.
"""

import json
import sys
import time

from server import Server

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
SCALE = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}


def version(name: str, storage: bool, **subresources: dict) -> dict:
    """Returns a version of a CustomResourceDefinition."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}
    return {**served, "subresources": subresources} if subresources else served


# CustomResourceDefinition of the kind that the test defines as well.
WIDGETS = {
    "metadata": {"name": "widgets.probe.dev"},
    "spec": {
        "group": "probe.dev",
        "scope": "Namespaced",
        "names": {
            "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList",
            "shortNames": ["wd", "w"], "categories": ["all", "tools"],
        },
        "versions": [version("v1", True, status={}, scale=SCALE), version("v1beta1", False)],
    },
}


def main() -> None:
    """Prints one document per line, with its path and the media type of the request."""
    server = Server.of(sys.argv[1])
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.request("POST", definitions, WIDGETS)
    while all(group["name"] != "probe.dev" for group in server.get("/apis")["groups"]):
        time.sleep(0.1)
    # The versions of a group appear one after the other.
    time.sleep(1)
    paths = [("/version", "application/json"), ("/api", AGGREGATED), ("/apis", AGGREGATED)]
    paths += [("/api", "application/json"), ("/apis", "application/json"), ("/api/v1", "application/json")]
    for group in server.get("/apis")["groups"]:
        paths.append((f"/apis/{group['name']}", "application/json"))
        paths += [(f"/apis/{version['groupVersion']}", "application/json") for version in group["versions"]]
    for path, accept in paths:
        document = server.get(path, accept)
        for address in document.get("serverAddressByClientCIDRs", []):
            address["serverAddress"] = "ADDRESS"
        print(json.dumps({"path": path, "accept": accept, "document": document}, separators=(",", ":")))
    server.request("DELETE", f"{definitions}/widgets.probe.dev")


main()
