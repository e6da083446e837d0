"""Service account of the contenders, with permissions by RBAC as controllers have."""

import json
import pathlib

from control_plane import ControlPlane

from .api_server import Connection
from .markers import NAME

BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {"name": NAME},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
    "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": "default"}],
}
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 24 * 60 * 60}}


def kubeconfig(connection: Connection, plane: ControlPlane, work: pathlib.Path) -> str:
    """Writes a kubeconfig of the service account, which is a marked object. Returns its path."""
    connection.request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", BINDING)
    answer = connection.request("POST", f"/api/v1/namespaces/default/serviceaccounts/{NAME}/token", TOKEN)
    config = json.loads(pathlib.Path(plane.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": answer["status"]["token"]}
    path = work / "kubeconfig.json"
    path.write_text(json.dumps(config))
    return str(path)
