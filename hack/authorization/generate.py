"""Random requests of several users: for RBAC objects, and for what they permit."""

import random

from server import ACCOUNT, ADMIN, TOKENS

GROUP = "rbac.authorization.k8s.io"
RBAC = f"/apis/{GROUP}/v1"
NAMESPACES = ["a", "b"]


def request(token: str, method: str, path: str, body: object = None) -> dict:
    made = {"token": token, "method": method, "path": path}
    return made if body is None else {**made, "body": body}


class Requests:
    """Generator of random requests that are allowed, or nearly allowed, by roles written before."""

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
            resources = ["*", "users", "groups", "serviceaccounts", "uids", "userextras/acme.io/x"]
            resources += ["configmaps", "pods"]
            groups = self.some(["", "authentication.k8s.io", "*"])
            return {"verbs": self.some(verbs, 6), "apiGroups": groups, "resources": self.some(resources, 4)}
        if pick < 0.35:
            resources = ["roles", "clusterroles", "rolebindings", "clusterrolebindings", "*"]
            verbs = ["get", "create", "update", "patch", "delete", "escalate", "bind", "*", "list"]
            rule = {"verbs": self.some(verbs, 5), "apiGroups": [GROUP], "resources": self.some(resources)}
        else:
            verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"]
            resources = [
                "configmaps", "secrets", "pods", "pods/log", "*/scale", "deployments", "*", "gputasks",
                "*/finalizers", "configmaps/finalizers", "namespaces", "deployments/scale",
                "subjectaccessreviews", "localsubjectaccessreviews",
            ]
            groups = ["", "apps", "falldio.com", "*", "authorization.k8s.io"]
            rule = {"verbs": self.some(verbs, 7), "apiGroups": self.some(groups, 3)}
            rule["resources"] = self.some(resources, 5)
        if self.random.random() < 0.2:
            rule["resourceNames"] = self.some(["x", "y", "c1", "r1"], 2)
        return rule

    def role(self, name: str, namespaced: bool) -> dict:
        role = {"metadata": {"name": name}}
        rules = [self.rule(namespaced) for _ in range(self.random.randint(0, 3))]
        # Without rules, there is no list: the server keeps an empty one in the response to the
        # write and in managed fields only.
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
        """Returns a write or a read of a role or a binding."""
        plural = self.random.choice(["roles", "clusterroles", "rolebindings", "clusterrolebindings"])
        namespaced = not plural.startswith("cluster")
        is_binding = plural.endswith("bindings")
        letter = {"roles": "r", "clusterroles": "c", "rolebindings": "rb", "clusterrolebindings": "cb"}[plural]
        name = f"{letter}{self.random.randint(1, 4)}"
        path = f"{RBAC}/namespaces/{self.random.choice(NAMESPACES)}/{plural}" if namespaced else f"{RBAC}/{plural}"
        body = (self.binding if is_binding else self.role)(name, namespaced)
        method = self.random.choice(["POST", "POST", "PUT", "PUT", "DELETE", "PATCH", "GET"])
        if method == "PATCH":
            labels = {"part": self.random.choice(["1", "2"])}
            patches = [{"metadata": {"finalizers": None}}, {"metadata": {"labels": labels}}]
            patches.append({"subjects": body["subjects"]} if is_binding else {"rules": body.get("rules")})
            body = self.random.choice(patches)
        path = path if method == "POST" else f"{path}/{name}"
        # Mostly by the administrator, so that most writes succeed.
        token = self.random.choice([ADMIN, ADMIN, *TOKENS])
        if method == "PUT" and self.random.random() < 0.3:
            kind = {"r": "Role", "c": "ClusterRole", "rb": "RoleBinding", "cb": "ClusterRoleBinding"}[letter]
            return self.apply(token, f"{path}/{name}", f"{GROUP}/v1", kind, body)
        return request(token, method, path, body if method in ["POST", "PUT", "PATCH"] else None)

    def objects(self) -> dict:
        """Returns a request for objects that roles may allow."""
        namespace = self.random.choice(["a", "b", "nowhere"])
        name = self.random.choice(["x", "y"])
        method = self.random.choice(["GET", "GET", "LIST", "POST", "PUT", "PATCH", "DELETE", "DELETE-ALL"])
        kinds = [
            ("/api/v1", "configmaps"), ("/api/v1", "secrets"), ("/api/v1", "pods"), ("/api/v1", "nodes"),
            ("/apis/apps/v1", "deployments"), ("/apis/falldio.com/v1", "gputasks"),
            ("/apis/coordination.k8s.io/v1", "leases"),
        ]
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
            path = self.random.choice(["", f"/{namespace}", "/a/status"])
            path = f"/api/v1/namespaces{path}"
            method, body = "GET", None
        method = {"LIST": "GET", "DELETE-ALL": "DELETE"}.get(method, method)
        if method == "PATCH" and plural == "configmaps" and self.random.random() < 0.4:
            return self.apply(self.random.choice(TOKENS[1:]), path, "v1", "ConfigMap", body)
        return request(self.random.choice(TOKENS[1:]), method, path, body)

    def apply(self, token: str, path: str, api_version: str, kind: str, body: dict) -> dict:
        """Returns a server-side apply, which may create the object."""
        body = {"apiVersion": api_version, "kind": kind, **body}
        made = request(token, "PATCH", f"{path}?fieldManager={token}&force=true", body)
        return {**made, "headers": {"Content-Type": "application/apply-patch+yaml"}}

    def owner(self) -> dict:
        kinds = [("v1", "ConfigMap"), ("v1", "Node"), ("v1", "Nothing")]
        kinds += [("apps/v1", "Deployment"), ("apps/v9", "Deployment")]
        api_version, kind = self.random.choice(kinds)
        owner = {"apiVersion": api_version, "kind": kind, "name": "x", "uid": self.random.choice(["1", "2"])}
        blocking = self.random.choice([None, True, True, False])
        return owner if blocking is None else {**owner, "blockOwnerDeletion": blocking}

    def path(self) -> dict:
        """Returns a request for a path that is no object."""
        paths = ["/version", "/healthz", "/livez", "/apis", "/api", "/apis/apps", "/apis/apps/v1"]
        paths += ["/no/here", "/no/where", "/a<b>&c"]
        path = self.random.choice(paths)
        method = self.random.choice(["GET", "GET", "POST", "DELETE"]) if path in ["/no/here", "/no/where"] else "GET"
        return request(self.random.choice([*TOKENS[1:], "unknown"]), method, path)

    def acting(self) -> dict:
        """Returns a request that impersonates a user, with a new name each time.

        kube-apiserver caches decisions about impersonation for some seconds.
        """
        self.count += 1
        made = self.random.choice([self.objects, self.path])()
        made["token"] = self.random.choice(TOKENS)
        names = ["user-", "system:serviceaccount:a:account-", "system:node:node-"]
        names = [f"{name}{self.count}" for name in names]
        headers = {"Impersonate-User": self.random.choice(names)}
        if self.random.random() < 0.3:
            groups = ["devs", "ops", "system:masters", "system:unauthenticated"]
            headers["Impersonate-Group"] = self.random.choice(groups)
        if self.random.random() < 0.2:
            headers["Impersonate-Uid"] = str(self.count)
        if self.random.random() < 0.2:
            key = self.random.choice(["acme.io%2fx", "x", "acme.io%2fy"])
            headers[f"Impersonate-Extra-{key}"] = self.random.choice(["1", "2"])
        if self.random.random() < 0.05:
            del headers["Impersonate-User"]
        return {**made, "headers": {**made.get("headers", {}), **headers}}

    def review(self) -> dict:
        """Returns an access review, a rules review or a token review."""
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
            selector["requirements"] = [
                {
                    "key": self.random.choice(["a", "a b", ""]),
                    "operator": self.random.choice(operators),
                    "values": self.some(["v", "v w"], 2)[: self.random.randint(0, 2)],
                }
                for _ in range(self.random.randint(1, 2))
            ]
        return selector

    def next(self) -> dict:
        kinds = [self.policy, self.objects, self.path, self.acting, self.review]
        return self.random.choices(kinds, weights=[35, 35, 4, 10, 16])[0]()
