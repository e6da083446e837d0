#!/usr/bin/env python3
"""Records the responses of kube-apiserver to random requests with random webhook configurations.

    export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
    hack/admission/start.sh /tmp/adm &
    hack/admission/record.py /tmp/adm SEED CASES > cases.jsonl
    CASES=$PWD/cases.jsonl cargo test -p genclient-apiserver --test integration admission

SEED is the seed of the random generator, CASES the number of cases. A line is a case: webhook
configurations and requests, each request with its response and the reviews that webhooks received.
This program serves the webhooks. The first part of a webhook's path selects its behavior from
runtime/apiserver/tests/admission/behaviours.json.
"""
import base64, http.server, json, os, random, socket, ssl, sys, threading, time, urllib.request, http.client

FOLDER, SEED, CASES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "../../runtime/apiserver/tests/admission")
BEHAVIOURS = json.load(open(os.path.join(TESTS, "behaviours.json")))
BUNDLE = base64.b64encode(open(FOLDER + "/ca.crt", "rb").read()).decode()
PORT = 23792
calls, lock = [], threading.Lock()


class Webhook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.split("?")[0].strip("/").split("/")
        name, tag = path[0], path[1] if len(path) > 1 else ""
        if tag == "probe":
            behaviour = BEHAVIOURS["deny"]
        else:
            behaviour = BEHAVIOURS[name]
            if body["request"]["userInfo"]["username"] == "alice":
                with lock:
                    calls.append([self.path, body])
        code, text = behaviour.get("code", 200), behaviour.get("body")
        if text is None:
            review = behaviour.get("review")
            if review is None:
                response = {"uid": body["request"]["uid"]}
                if "patch" in behaviour:
                    patch = json.dumps(behaviour["patch"]).encode()
                    response["patch"] = base64.b64encode(patch).decode()
                    response["patchType"] = "JSONPatch"
                response.update(behaviour["response"])
                review = {"kind": "AdmissionReview", "apiVersion": body["apiVersion"], "response": response}
            text = json.dumps(review)
        data = text.encode()
        self.send_response(code)
        self.send_header("content-type", behaviour.get("media_type", "application/json"))
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 100
    daemon_threads = True

    def get_request(self):
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, address


def serve():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER + "/serving.crt", FOLDER + "/serving.key")
    server = Server(("127.0.0.1", PORT), Webhook)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()


CONTEXT = ssl.create_default_context(cafile=FOLDER + "/ca.crt")
connection = None


def send(method, path, body=None, media="application/json"):
    global connection
    for _ in range(3):
        try:
            if connection is None:
                connection = http.client.HTTPSConnection("127.0.0.1", 23791, context=CONTEXT)
            headers = {"authorization": "Bearer token", "content-type": media, "accept": "application/json",
                       "user-agent": "recorder/1.0"}
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, headers)
            response = connection.getresponse()
            data = response.read()
            warnings = [value for name, value in response.getheaders() if name.lower() == "warning"]
            try:
                return response.status, json.loads(data), warnings
            except ValueError:
                return response.status, data.decode(), warnings
        except (http.client.HTTPException, OSError):
            connection = None
    raise SystemExit("no answer")


CRD = json.load(open(os.path.join(TESTS, "definition.json")))

random = random.Random(SEED)
pick, chance = random.choice, lambda p: random.random() < p

RULES = [
    (["adm.example.com"], ["v1"], ["things"]), (["adm.example.com"], ["v2"], ["things"]),
    (["adm.example.com"], ["*"], ["things", "things/status"]), (["adm.example.com"], ["v1"], ["things/*"]),
    (["adm.example.com"], ["v1"], ["things/scale"]), (["*"], ["*"], ["*/scale"]), (["adm.example.com"], ["v2"], ["things/scale"]),
    ([""], ["v1"], ["configmaps"]), ([""], ["v1"], ["configmaps", "secrets"]), (["", "apps"], ["v1"], ["*"]), (["*"], ["*"], ["*"]),
    ([""], ["v1"], ["pods"]), ([""], ["*"], ["pods/status", "pods"]), (["apps"], ["v1"], ["deployments"]), (["apps"], ["v1"], ["deployments/scale"]),
    ([""], ["v1"], ["namespaces"]), (["authorization.k8s.io"], ["v1"], ["subjectaccessreviews"]),
    (["admissionregistration.k8s.io"], ["*"], ["*"]), (["*"], ["*"], ["*/*"]), (["scheduling.k8s.io"], ["v1"], ["priorityclasses"]),
]
CONDITIONS = [
    "object != null && object.metadata.name == 'a'", "request.operation == 'UPDATE'", "oldObject == null",
    "object.spec.size > 3", "request.name == 'a' || request.namespace.startsWith('adm')", "has(object.data)",
    "request.userInfo.username == 'alice'", "request.dryRun", "!has(request.subResource)", "request.kind.kind == 'Thing'",
    "object.metadata.labels['team'] == 'red'", "request.userInfo.groups.exists(g, g == 'system:masters')", "size(object.metadata.name) < 2",
    "'team' in object.metadata.labels", "request.requestKind.version == 'v2'", "request.options.kind == 'CreateOptions'",
    "authorizer.requestResource.check('create').allowed()", "authorizer.requestResource.check('x').reason() == ''",
    "authorizer.serviceAccount('default', 'a').group('').resource('pods').check('get').allowed()",
    "authorizer.path('/x').check('get').allowed() && authorizer.path(request.name).check('get').allowed()",
]


def behaviour(mutating):
    if chance(0.35):
        return "allow"
    if not mutating:
        return pick(["allow", "warn", "deny", "deny-message", "deny-reason", "deny-success", "deny-invalid", "deny-conflict",
                     pick(list(BEHAVIOURS))])
    return pick(["label", "annotate", "annotate", "annotate-more", "data", "spec", "replicas", "finalizer", "class", "warn", "managers",
                 pick(list(BEHAVIOURS))])


def selector():
    return pick([{"matchLabels": {"team": "red"}}, {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["red"]}]},
                 {"matchExpressions": [{"key": "team", "operator": "Exists"}]},
                 {"matchExpressions": [{"key": "team", "operator": "In", "values": ["red", "blue"]}]},
                 {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}, {"matchLabels": {"by": "webhook"}}])


def webhook(number, mutating):
    groups, versions, resources = pick(RULES)
    hook = {
        "name": f"w{number}.adm.example.com",
        "clientConfig": {"url": f"https://127.0.0.1:{PORT}/{behaviour(mutating)}/{number}", "caBundle": BUNDLE},
        "rules": [{"apiGroups": groups, "apiVersions": versions, "resources": resources,
                   "operations": pick([["*"], ["*"], ["CREATE"], ["UPDATE"], ["CREATE", "UPDATE"], ["DELETE"]])}],
        "sideEffects": pick(["None", "None", "NoneOnDryRun"]),
        "admissionReviewVersions": pick([["v1"], ["v1"], ["v1", "v1beta1"], ["v1beta1"], ["v9", "v1"]]),
    }
    if chance(0.2):
        hook["rules"][0]["scope"] = pick(["Namespaced", "Cluster", "*"])
    if chance(0.15):
        groups, versions, resources = pick(RULES)
        hook["rules"].append({"apiGroups": groups, "apiVersions": versions, "resources": resources, "operations": ["*"]})
    if chance(0.3):
        hook["failurePolicy"] = pick(["Ignore", "Fail"])
    if chance(0.3):
        hook["matchPolicy"] = pick(["Exact", "Equivalent"])
    if chance(0.2):
        hook["namespaceSelector"] = selector()
    if chance(0.25):
        hook["objectSelector"] = selector()
    if chance(0.2):
        hook["timeoutSeconds"] = pick([1, 5, 30])
    if mutating and chance(0.5):
        hook["reinvocationPolicy"] = pick(["IfNeeded", "Never"])
    if chance(0.25):
        hook["matchConditions"] = [{"name": f"c{at}", "expression": pick(CONDITIONS)} for at in range(pick([1, 1, 2]))]
    return hook


def configuration(kind, name, start):
    mutating = kind.startswith("Mutating")
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
            "webhooks": [webhook(start + at, mutating) for at in range(pick([1, 1, 2, 3]))]}


KINDS = {
    "things": "/apis/adm.example.com/{v}/namespaces/{ns}/things", "configmaps": "/api/v1/namespaces/{ns}/configmaps",
    "pods": "/api/v1/namespaces/{ns}/pods", "deployments": "/apis/apps/v1/namespaces/{ns}/deployments",
}


def labels():
    return pick([{}, {"team": "red"}, {"team": "blue"}, {"other": "x"}])


def body(plural, version, name):
    metadata = {"name": name}
    if found := labels():
        metadata["labels"] = found
    if chance(0.15):
        metadata["finalizers"] = ["x.example.com/f"]
    if plural == "things":
        return {"apiVersion": f"adm.example.com/{version}", "kind": "Thing", "metadata": metadata,
                "spec": {"size": pick([1, 5, 9, 10] if chance(0.3) else [1, 5]), "replicas": pick([1, 2])}}
    if plural == "configmaps":
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": pick(["1", "2"])}}
    pod = {"containers": [{"name": "c", "image": "i"}]}
    if plural == "pods":
        if chance(0.3):
            pod["priorityClassName"] = pick(["system-node-critical", "nothing", "system-cluster-critical"])
        if chance(0.1):
            pod["priority"] = pick([0, 5])
        if chance(0.2):
            pod["tolerations"] = [pick([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"},
                                        {"operator": "Exists"}, {"key": "x", "operator": "Exists", "effect": "NoExecute"}])]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
            "spec": {"replicas": pick([1, 2]), "selector": {"matchLabels": {"a": "b"}},
                     "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}}


MERGE, JSON, APPLY = "application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml"


def step():
    plural = pick(["things", "things", "configmaps", "configmaps", "pods", "deployments", "others"])
    query = ("?dryRun=All" if chance(0.15) else "") 
    if plural == "others":
        return pick([
            ["POST", "/api/v1/namespaces" + query, {"metadata": {"name": pick(["adm-x-{ns}", "adm-y-{ns}"]), "labels": labels()}}],
            ["PATCH", "/api/v1/namespaces/{ns}", {"metadata": {"labels": pick([{"team": "red"}, {"team": None}, {"x": "y"}])}}, MERGE],
            ["POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
             {"spec": {"user": "bob", "resourceAttributes": {"resource": "pods", "verb": "get"}}}],
            ["POST", "/api/v1/namespaces/nothing/configmaps", {"metadata": {"name": "a"}}],
        ])
    version = pick(["v1", "v1", "v2"])
    path = KINDS[plural].replace("{v}", version)
    name = pick(["a", "a", "b"])
    what = pick(["create", "create", "create", "merge", "merge", "json", "apply", "put", "delete", "collection", "status", "scale", "generate"])
    if chance(0.1):
        query += ("&" if query else "?") + "fieldManager=someone"
    if what == "create":
        return ["POST", path + query, body(plural, version, name)]
    if what == "generate":
        object = body(plural, version, name)
        del object["metadata"]["name"]
        object["metadata"]["generateName"] = "g-"
        return ["POST", path + "?dryRun=All", object]
    named = f"{path}/{name}"
    if what == "merge":
        return ["PATCH", named + query, pick([{"metadata": {"labels": {"team": pick(["red", "blue", None])}}}, {"metadata": {"finalizers": None}},
                                              {"spec": {"replicas": pick([1, 4])}}, {"metadata": {"annotations": {"x": pick(["1", "2"])}}}]), MERGE]
    if what == "json":
        return ["PATCH", named + query, [{"op": "add", "path": "/metadata/annotations", "value": {"j": pick(["1", "2"])}}], JSON]
    if what == "apply":
        query += ("&" if query else "?") + "force=true"
        if "fieldManager" not in query:
            query += "&fieldManager=applier"
        return ["PATCH", named + query, body(plural, version, name), APPLY]
    if what == "put":
        return ["PUT", named + query, body(plural, version, name)]
    if what == "delete":
        return ["DELETE", named + query, pick([None, {"gracePeriodSeconds": 0}, {"propagationPolicy": "Foreground"}])]
    if what == "collection":
        return ["DELETE", path + pick(["", "?labelSelector=team%3Dred"]), None]
    if what == "status":
        status = {"things": {"phase": pick(["x", "y"])}, "pods": {"message": "m"}, "deployments": {"replicas": 1}}
        if plural not in status:
            return ["PATCH", named, {"data": {"z": "1"}}, MERGE]
        return ["PATCH", named + "/status" + query, {"status": status[plural], "metadata": {"labels": {"s": "t"}}}, MERGE]
    if plural in ["things", "deployments"]:
        return ["PATCH", named + "/scale" + query, {"spec": {"replicas": pick([1, 2, 5])}}, MERGE]
    return ["PATCH", named, {"metadata": {"labels": {"team": "red"}}}, MERGE]


def masked(value, field=""):
    if isinstance(value, dict):
        return {name: masked(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [masked(item) for item in value]
    if field == "uid" and isinstance(value, str) and value != "uid-of-alice":
        return "UID"
    if field in ("resourceVersion", "creationTimestamp", "deletionTimestamp", "time", "lastTransitionTime"):
        return value and field
    return value


PROBE = {"rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}],
         "sideEffects": "None", "admissionReviewVersions": ["v1"]}


def probe(name):
    return send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", {"metadata": {"name": name}})[0]


def main():
    serve()
    while True:
        try:
            if send("GET", "/readyz")[0] == 200:
                break
        except SystemExit:
            pass
        time.sleep(0.3)
    send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
    for version in ["v1", "v2"]:
        while send("GET", f"/apis/adm.example.com/{version}/things")[0] != 200:
            time.sleep(0.2)
    base = "/apis/admissionregistration.k8s.io/v1/"
    for number in range(CASES):
        namespace = f"adm{SEED}-{number}"
        send("POST", "/api/v1/namespaces", {"metadata": {"name": namespace, "labels": {"team": "red"} if number % 2 else {}}})
        count = pick([1, 1, 2, 2, 3])
        configurations, labels_of = [], []
        for at in range(count):
            kind = pick(["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
            configurations.append(configuration(kind, f"{pick('abc')}{at}", at * 10))
        for at, it in enumerate(configurations):
            label = f"p{SEED}-{number}-{at}"
            labels_of.append(label)
            condition = f"has(object.metadata.name) && object.metadata.name == '{label}'"
            marker = dict(PROBE, name=f"probe{at}.adm.example.com", matchConditions=[{"name": "probe", "expression": condition}],
                          clientConfig={"url": f"https://127.0.0.1:{PORT}/deny/probe", "caBundle": BUNDLE})
            if it["kind"].startswith("Mutating"):
                marker["reinvocationPolicy"] = "Never"
            sent = dict(it, webhooks=[marker] + it["webhooks"])
            code, answer, _ = send("POST", base + it["kind"].lower() + "s", sent)
            if code != 201:
                raise SystemExit(json.dumps(answer))
        for label in labels_of:
            while probe(label) < 400:
                time.sleep(0.005)
        # kube-apiserver's informers of namespaces and of the other kind of configuration may lag.
        time.sleep(0.03)
        steps = []
        for _ in range(STEPS):
            made = step()
            method, path, content = made[:3]
            media = made[3] if len(made) > 3 else "application/json"
            fill = lambda text: text.replace("{ns}", namespace)
            with lock:
                calls.clear()
            text = json.dumps(content)
            code, answer, warnings = send(method, fill(path), json.loads(fill(text)), media)
            with lock:
                seen = list(calls)
            made_calls = []
            for url, review in seen:
                entry = [url.split("?")[0] + "?" + url.split("?")[1], masked(review)]
                if entry not in made_calls:
                    made_calls.append(entry)
            record = {"method": method, "path": path, "media": media, "body": content, "code": code,
                      "answer": masked(answer), "warnings": warnings, "calls": made_calls}
            steps.append(json.loads(json.dumps(record).replace(namespace, "{ns}")))
            if path.startswith("/api/v1/namespaces/{ns}") and path.count("/") == 4:
                time.sleep(0.05)
        for it in configurations:
            send("DELETE", base + it["kind"].lower() + "s/" + it["metadata"]["name"])
        for label in labels_of:
            while probe(label) >= 400:
                time.sleep(0.005)
        text = json.dumps({"seed": f"{SEED}-{number}", "labels": {"team": "red"} if number % 2 else {},
                           "configurations": configurations, "steps": steps}, sort_keys=True)
        print(text.replace(BUNDLE, "").replace(f"https://127.0.0.1:{PORT}", "URL"), flush=True)


STEPS = 12
main()
