"""Sends requests of several users to an API server, and writes them with its answers.

    python3 hack/kinds/authorization.py SEED COUNT > runtime/apiserver/tests/authorization/random.jsonl
    python3 hack/kinds/authorization.py cases.jsonl > runtime/apiserver/tests/authorization/cases.jsonl.new

They are random, or those of a file.

It starts the server itself, from KUBEBUILDER_ASSETS: with tokens for the users, and with the admission plug-in
OwnerReferencesPermissionEnforcement. The test `authorization` sends the same requests to the server in the process.
What authorizers remember for some seconds is asked for once only; what they answer in random order, several times.
"""

import http.client
import itertools
import json
import os
import pathlib
import random
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
ADMIN = "root"
ACCOUNT = "system:serviceaccount:a:manager"
# Token, name, groups; the uid of a user is its token.
USERS = [
    (ADMIN, "root", "system:masters"),
    ("alice", "alice", "devs"),
    ("bob", "bob", "devs,ops"),
    ("carol", "carol", ""),
    ("manager", ACCOUNT, "system:serviceaccounts,system:serviceaccounts:a"),
]
TOKENS = [token for token, _, _ in USERS]
NAMESPACES = ["a", "b"]
REQUEST = ["token", "method", "path", "headers", "body"]
WAIT = 0.05


class Server:
    """kube-apiserver and etcd in a folder of their own."""

    def __init__(self, folder: pathlib.Path) -> None:
        assets = pathlib.Path(os.environ["KUBEBUILDER_ASSETS"])
        run = lambda *arguments: subprocess.run(arguments, check=True, capture_output=True, cwd=folder)
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "crt", *subject)
        run("openssl", "rsa", "-in", "key", "-pubout", "-out", "pub")
        of = lambda groups: f',"{groups}"' if groups else ""
        lines = [f"{token},{name},{token}{of(groups)}" for token, name, groups in USERS]
        (folder / "tokens").write_text("\n".join(lines) + "\n")
        (self.port, etcd) = (free_port(), free_port())
        url = f"http://127.0.0.1:{etcd}"
        self.processes = [
            start(folder, "etcd", [
                assets / "etcd", f"--data-dir={folder}/etcd", f"--listen-client-urls={url}",
                f"--advertise-client-urls={url}", "--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync",
            ]),
            start(folder, "kube-apiserver", [
                assets / "kube-apiserver", f"--etcd-servers={url}", "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1", f"--secure-port={self.port}", f"--tls-cert-file={folder}/crt",
                f"--tls-private-key-file={folder}/key", f"--token-auth-file={folder}/tokens",
                "--authorization-mode=RBAC", "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={folder}/pub", f"--service-account-signing-key-file={folder}/key",
                "--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none",
                "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
            ]),
        ]
        self.connection = None
        for _ in range(120):
            time.sleep(1)
            try:
                if self.send(ADMIN, "GET", "/readyz")[0] == 200:
                    return
            except OSError:
                self.connection = None
        raise SystemExit(f"kube-apiserver is not ready; logs: {folder}")

    def send(self, token: str, method: str, path: str, body: object = None, headers: dict = {}) -> tuple[int, object]:
        """The code and the body of an answer, decoded if it is JSON."""
        if self.connection is None:
            context = ssl._create_unverified_context()
            self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context)
        media_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Authorization": f"Bearer {token}", "Content-Type": media_type, **headers}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(text) if is_json and text else text

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGKILL)
            process.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(folder: pathlib.Path, name: str, arguments: list) -> subprocess.Popen:
    log = (folder / f"{name}.log").open("w")
    return subprocess.Popen([str(one) for one in arguments], stdout=log, stderr=log)


class Requests:
    """Random requests, one or two steps away from what is allowed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def some(self, choices: list, most: int = 3) -> list:
        return [self.random.choice(choices) for _ in range(self.random.randint(1, most))]

    def rule(self, namespaced: bool) -> dict:
        pick = self.random.random()
        if pick < 0.12 and not namespaced:
            urls = ["/version", "/api/*", "/metrics", "/no/*", "*", "/healthz", "/openapi/*"]
            return {"verbs": self.some(["get", "*", "post"]), "nonResourceURLs": self.some(urls)}
        if pick < 0.2:
            modes = ["user-info", "serviceaccount", "arbitrary-node"]
            verbs = [f"impersonate:{mode}" for mode in modes] + ["impersonate"]
            verbs += [f"impersonate-on:{mode}:{verb}" for mode in modes for verb in ["get", "list", "create"]]
            resources = ["*", "users", "groups", "serviceaccounts", "uids", "userextras/acme.io/x", "configmaps", "pods"]
            groups = self.some(["", "authentication.k8s.io", "*"])
            return {"verbs": self.some(verbs, 6), "apiGroups": groups, "resources": self.some(resources, 4)}
        if pick < 0.35:
            resources = ["roles", "clusterroles", "rolebindings", "clusterrolebindings", "*"]
            verbs = ["get", "create", "update", "patch", "delete", "escalate", "bind", "*", "list"]
            rule = {"verbs": self.some(verbs, 5), "apiGroups": [GROUP], "resources": self.some(resources)}
        else:
            verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"]
            resources = ["configmaps", "secrets", "pods", "pods/log", "*/scale", "deployments", "*", "gputasks", "*/finalizers",
                         "configmaps/finalizers", "namespaces", "deployments/scale", "subjectaccessreviews", "localsubjectaccessreviews"]
            groups = ["", "apps", "falldio.com", "*", "authorization.k8s.io"]
            rule = {"verbs": self.some(verbs, 7), "apiGroups": self.some(groups, 3), "resources": self.some(resources, 5)}
        if self.random.random() < 0.2:
            rule["resourceNames"] = self.some(["x", "y", "c1", "r1"], 2)
        return rule

    def role(self, name: str, namespaced: bool) -> dict:
        role = {"metadata": {"name": name}}
        rules = [self.rule(namespaced) for _ in range(self.random.randint(0, 3))]
        # An empty list is kept in the answer of a last write and in managed fields, and nowhere else.
        if rules:
            role["rules"] = rules
        if self.random.random() < 0.2:
            role["metadata"]["labels"] = {"part": "1"}
        if self.random.random() < 0.15 and not namespaced:
            role["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {"part": "1"}}]}
        if self.random.random() < 0.1:
            role["metadata"]["finalizers"] = ["acme.io/x"]
        return role

    def binding(self, name: str, namespaced: bool) -> dict:
        kind = self.random.choice(["Role", "ClusterRole"]) if namespaced else "ClusterRole"
        roles = ["r1", "r2", "r3"] if kind == "Role" else ["c1", "c2", "c3", "c4", "view", "system:basic-user"]
        if self.random.random() < 0.1:
            roles = ["gone", "also-gone", ""]
        if self.random.random() < 0.03:
            kind = self.random.choice(["Role", "Other"])
        subjects = [
            {"kind": "User", "name": "alice"}, {"kind": "User", "name": "bob"}, {"kind": "User", "name": "carol"},
            {"kind": "Group", "name": "devs"}, {"kind": "Group", "name": "ops"},
            {"kind": "Group", "name": "system:authenticated"}, {"kind": "Group", "name": "system:serviceaccounts:a"},
            {"kind": "ServiceAccount", "name": "manager", "namespace": "a"}, {"kind": "User", "name": ACCOUNT},
            {"kind": "ServiceAccount", "name": "manager"}, {"kind": "Group", "name": "system:nodes"},
        ]
        reference = {"apiGroup": GROUP, "kind": kind, "name": self.random.choice(roles)}
        return {"metadata": {"name": name}, "roleRef": reference, "subjects": self.some(subjects, 2)}

    def policy(self) -> dict:
        """A write or a read of a role or a binding."""
        plural = self.random.choice(["roles", "clusterroles", "rolebindings", "clusterrolebindings"])
        namespaced = not plural.startswith("cluster")
        is_binding = plural.endswith("bindings")
        letter = {"roles": "r", "clusterroles": "c", "rolebindings": "rb", "clusterrolebindings": "cb"}[plural]
        name = f"{letter}{self.random.randint(1, 4)}"
        path = f"{RBAC}/namespaces/{self.random.choice(NAMESPACES)}/{plural}" if namespaced else f"{RBAC}/{plural}"
        body = (self.binding if is_binding else self.role)(name, namespaced)
        method = self.random.choice(["POST", "POST", "PUT", "PUT", "DELETE", "PATCH", "GET"])
        if method == "PATCH":
            patches = [{"metadata": {"finalizers": None}}, {"metadata": {"labels": {"part": self.random.choice(["1", "2"])}}}]
            patches.append({"subjects": body["subjects"]} if is_binding else {"rules": body.get("rules")})
            body = self.random.choice(patches)
        path = path if method == "POST" else f"{path}/{name}"
        # Mostly of the administrator, so that there is something to evaluate.
        token = self.random.choice([ADMIN, ADMIN, *TOKENS])
        if method == "PUT" and self.random.random() < 0.3:
            kind = {"r": "Role", "c": "ClusterRole", "rb": "RoleBinding", "cb": "ClusterRoleBinding"}[letter]
            return self.apply(token, f"{path}/{name}", f"{GROUP}/v1", kind, body)
        return request(token, method, path, body if method in ["POST", "PUT", "PATCH"] else None)

    def objects(self) -> dict:
        """A request for objects that roles may allow."""
        namespace = self.random.choice(["a", "b", "nowhere"])
        name = self.random.choice(["x", "y"])
        method = self.random.choice(["GET", "GET", "LIST", "POST", "PUT", "PATCH", "DELETE", "DELETE-ALL"])
        kinds = [("/api/v1", "configmaps"), ("/api/v1", "secrets"), ("/api/v1", "pods"), ("/apis/apps/v1", "deployments"),
                 ("/apis/falldio.com/v1", "gputasks"), ("/api/v1", "nodes"), ("/apis/coordination.k8s.io/v1", "leases")]
        root, plural = self.random.choice(kinds)
        if method in ["POST", "PUT", "PATCH"] and plural in ["pods", "deployments", "nodes"]:
            plural, root = "configmaps", "/api/v1"
        below = f"/namespaces/{namespace}" if plural != "nodes" else ""
        body = {"metadata": {"name": name}} if method in ["POST", "PUT", "PATCH"] else None
        if body and self.random.random() < 0.4 and plural == "configmaps":
            body["metadata"]["ownerReferences"] = [self.owner() for _ in range(self.random.randint(0, 2))]
        if body and plural == "leases":
            body["spec"] = {}
        path = f"{root}{below}/{plural}"
        if method == "LIST" and self.random.random() < 0.3:
            path = f"{root}/{plural}"
        if method in ["LIST", "DELETE-ALL"] and self.random.random() < 0.3:
            path += "?fieldSelector=metadata.name%3Dx"
        if method not in ["LIST", "POST", "DELETE-ALL"]:
            path += f"/{name}"
        if method == "GET" and self.random.random() < 0.3:
            path += {"pods": "/log", "deployments": "/scale"}.get(plural, "")
        if self.random.random() < 0.04:
            path = self.random.choice(["/api/v1/namespaces", f"/api/v1/namespaces/{namespace}", "/api/v1/namespaces/a/status"])
            method, body = "GET", None
        method = {"LIST": "GET", "DELETE-ALL": "DELETE"}.get(method, method)
        if method == "PATCH" and plural == "configmaps" and self.random.random() < 0.4:
            return self.apply(self.random.choice(TOKENS[1:]), path, "v1", "ConfigMap", body)
        return request(self.random.choice(TOKENS[1:]), method, path, body)

    def apply(self, token: str, path: str, api_version: str, kind: str, body: dict) -> dict:
        """A server-side apply, which may create."""
        body = {"apiVersion": api_version, "kind": kind, **body}
        made = request(token, "PATCH", f"{path}?fieldManager={token}&force=true", body)
        return {**made, "headers": {"Content-Type": "application/apply-patch+yaml"}}

    def owner(self) -> dict:
        kinds = [("v1", "ConfigMap"), ("v1", "Node"), ("apps/v1", "Deployment"), ("v1", "Nothing"), ("apps/v9", "Deployment")]
        api_version, kind = self.random.choice(kinds)
        owner = {"apiVersion": api_version, "kind": kind, "name": "x", "uid": self.random.choice(["1", "2"])}
        blocking = self.random.choice([None, True, True, False])
        return owner if blocking is None else {**owner, "blockOwnerDeletion": blocking}

    def path(self) -> dict:
        """A request that is not for objects."""
        paths = ["/version", "/healthz", "/livez", "/apis", "/api", "/apis/apps", "/apis/apps/v1", "/no/here", "/no/where", "/a<b>&c"]
        path = self.random.choice(paths)
        method = self.random.choice(["GET", "GET", "POST", "DELETE"]) if path in ["/no/here", "/no/where"] else "GET"
        return request(self.random.choice([*TOKENS[1:], "unknown"]), method, path)

    def acting(self) -> dict:
        """A request on behalf of somebody, whose name is new each time."""
        self.count += 1
        made = self.random.choice([self.objects, self.path])()
        made["token"] = self.random.choice(TOKENS)
        names = [f"user-{self.count}", f"system:serviceaccount:a:account-{self.count}", f"system:node:node-{self.count}"]
        headers = {"Impersonate-User": self.random.choice(names)}
        if self.random.random() < 0.3:
            headers["Impersonate-Group"] = self.random.choice(["devs", "ops", "system:masters", "system:unauthenticated"])
        if self.random.random() < 0.2:
            headers["Impersonate-Uid"] = str(self.count)
        if self.random.random() < 0.2:
            key = self.random.choice(["acme.io%2fx", "x", "acme.io%2fy"])
            headers[f"Impersonate-Extra-{key}"] = self.random.choice(["1", "2"])
        if self.random.random() < 0.05:
            del headers["Impersonate-User"]
        return {**made, "headers": {**made.get("headers", {}), **headers}}

    def review(self) -> dict:
        """A question about rights."""
        kinds = ["subjectaccessreviews", "localsubjectaccessreviews", "selfsubjectaccessreviews"]
        kinds += ["selfsubjectrulesreviews", "selfsubjectreviews", "tokenreviews"]
        plural = self.random.choice(kinds)
        token = self.random.choice(TOKENS)
        if plural == "tokenreviews":
            spec = {"token": self.random.choice([*TOKENS, "unknown", "", "alice x"])}
            if self.random.random() < 0.3:
                spec["audiences"] = self.some(["other", "https://kubernetes.default.svc"], 2)
        elif plural == "selfsubjectrulesreviews":
            spec = {"namespace": self.random.choice(["a", "b", "nowhere", ""])}
        elif plural == "selfsubjectreviews":
            spec = {}
        else:
            spec = self.access(plural)
        group = "authentication" if plural in ["tokenreviews", "selfsubjectreviews"] else "authorization"
        below = "/namespaces/a" if plural.startswith("local") else ""
        body = {"spec": spec} if spec else {}
        if self.random.random() < 0.03:
            body["metadata"] = {"name": "x"}
        return request(token, "POST", f"/apis/{group}.k8s.io/v1{below}/{plural}", body)

    def access(self, plural: str) -> dict:
        spec = {}
        if self.random.random() < 0.8:
            verbs = ["get", "list", "create", "delete", "bind", "impersonate"]
            resources = ["configmaps", "pods", "deployments", "roles", "clusterroles", "users", "gputasks"]
            attributes = {"verb": self.random.choice(verbs), "resource": self.random.choice(resources)}
            attributes["group"] = self.random.choice(["", "apps", GROUP, "falldio.com"])
            if self.random.random() < 0.7 or plural.startswith("local"):
                attributes["namespace"] = self.random.choice(["a", "a", "a", "b"])
            if self.random.random() < 0.3:
                attributes["subresource"] = self.random.choice(["scale", "log", "finalizers"])
            if self.random.random() < 0.3:
                attributes["name"] = self.random.choice(["x", "c1"])
            for name in ["fieldSelector", "labelSelector"]:
                if self.random.random() < 0.1:
                    attributes[name] = self.selector()
            spec["resourceAttributes"] = attributes
        if self.random.random() < 0.2:
            spec["nonResourceAttributes"] = {"path": self.random.choice(["/metrics", "/version"]), "verb": "get"}
        if not plural.startswith("self") and self.random.random() < 0.95:
            spec["user"] = self.random.choice(["alice", "bob", "carol", ACCOUNT])
        if not plural.startswith("self") and self.random.random() < 0.3:
            spec["groups"] = self.some(["devs", "ops", "system:masters", "system:authenticated"])
        return spec

    def selector(self) -> dict:
        selector = {}
        if self.random.random() < 0.5:
            selector["rawSelector"] = self.random.choice(["a=b", "a in (b)", "a=b,,", "", "a b"])
        if self.random.random() < 0.6:
            operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt"]
            one = lambda: {"key": self.random.choice(["a", "a b", ""]), "operator": self.random.choice(operators),
                           "values": self.some(["v", "v w"], 2)[:self.random.randint(0, 2)]}
            selector["requirements"] = [one() for _ in range(self.random.randint(1, 2))]
        return selector

    def next(self) -> dict:
        kinds = [self.policy, self.objects, self.path, self.acting, self.review]
        return self.random.choices(kinds, weights=[35, 35, 4, 10, 16])[0]()


def request(token: str, method: str, path: str, body: object = None) -> dict:
    made = {"token": token, "method": method, "path": path}
    return made if body is None else {**made, "body": body}


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
                send = lambda: server.send(made["token"], made["method"], path, made.get("body"), made.get("headers", {}))
                code, answer = send()
                line = {**made, "path": path, "code": code, "answer": answer}
                if reason(answer):
                    found = sorted({reason(answer), *(reason(send()[1]) for _ in range(12))})
                    line["reasons"] = found
                print(json.dumps(line, separators=(",", ":")))
                if made["path"].startswith(RBAC) and made["method"] != "GET":
                    time.sleep(WAIT)
        finally:
            server.stop()


main()
