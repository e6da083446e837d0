"""Marked objects: one of each watched kind, with the time of its last change in an annotation."""

import time
from typing import Any

from .api_server import Connection

ANNOTATION = "example.com/changed"
NAME = "recovery"
# Required fields of each kind, except the name.
KINDS: dict[str, dict[str, Any]] = {
    "ConfigMap": {},
    "Pod": {"spec": {"containers": [{"name": "main", "image": "none"}]}},
    "Secret": {},
    "Service": {"spec": {"clusterIP": "None"}},
    "ServiceAccount": {},
}


def create(connection: Connection) -> None:
    for kind, more in KINDS.items():
        marker = {"apiVersion": "v1", "kind": kind, "metadata": {"name": NAME}, **more}
        connection.request("POST", path(kind), marker)


def change(connection: Connection) -> None:
    """Annotates the object of every kind with the time, in nanoseconds since 1970."""
    patch = {"metadata": {"annotations": {ANNOTATION: str(time.time_ns())}}}
    for kind in KINDS:
        connection.request("PATCH", f"{path(kind)}/{NAME}", patch, "application/merge-patch+json")


def path(kind: str) -> str:
    return f"/api/v1/namespaces/default/{kind.lower()}s"
