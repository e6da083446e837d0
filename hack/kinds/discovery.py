"""Writes the discovery documents of an API server, which tests compare with ours.

    python3 hack/kinds/discovery.py KUBECONFIG > runtime/apiserver/tests/discovery/documents.jsonl
"""

import json
import sys

from server import Server

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def main() -> None:
    """One document a line, with its path and the media type of the request."""
    server = Server.of(sys.argv[1])
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


main()
