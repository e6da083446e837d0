"""Sends writes of built-in kinds to an API server, and prints its responses.

    python3 hack/kinds/answers.py KUBECONFIG \
        < runtime/apiserver/tests/kinds/cases.jsonl > runtime/apiserver/tests/kinds/answers.jsonl

A case has a path and a body to POST there, and may have an `update`, which is PUT over the object.
Values that differ between runs are replaced or removed: UIDs, resource versions, managed fields,
times, cluster IPs and node ports. Cases have addresses of 10.96.0.0/24, which has to be the server's
--service-cluster-ip-range.
"""

import json
import re
import sys

from server import Server

VOLATILE = {"lastTransitionTime": "NOW", "creationTimestamp": "NOW", "lastPhaseTransitionTime": "NOW"}


def normal(value: object, uid: str) -> object:
    """Returns a response without the values that differ between runs."""
    if isinstance(value, dict):
        value = {key: normal(VOLATILE.get(key, inner), uid) for key, inner in value.items()}
        for key in ["managedFields", "resourceVersion"]:
            value.pop(key, None)
        if re.fullmatch(r"10\.(0|96)\.0\.\d+", str(value.get("clusterIP"))):
            value["clusterIP"], value["clusterIPs"] = "10.0.0.1", ["10.0.0.1"]
        if "nodePort" in value:
            value["nodePort"] = 30000
        return value
    if isinstance(value, list):
        return [normal(inner, uid) for inner in value]
    return "UID" if uid and value == uid else value


def answer(code: int, text: str, uid: str) -> dict:
    """Returns the code with the object, or with the causes or the message of a Status."""
    found = json.loads(text)
    if found.get("kind") != "Status":
        return {"code": code, "object": normal(found, uid)}
    causes = (found.get("details") or {}).get("causes")
    if causes:
        for cause in causes:
            # The lines after the first one are a diff of two Go structs.
            cause["message"] = cause["message"].split("\n")[0]
        causes = sorted(causes, key=lambda cause: (cause.get("field", ""), cause["message"]))
        return {"code": code, "causes": causes}
    return {"code": code, "message": found["message"]}


def main() -> None:
    """Sends one case after the other, and deletes its object."""
    server = Server.of(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        path, name = case["path"], case["body"]["metadata"]["name"]
        code, _, text = server.request("POST", path + "?fieldValidation=Ignore", case["body"])
        uid = json.loads(text).get("metadata", {}).get("uid", "")
        out = {"create": answer(code, text, uid)}
        if code == 201 and "update" in case:
            code, _, text = server.request("PUT", f"{path}/{name}?fieldValidation=Ignore", case["update"])
            out["update"] = answer(code, text, uid)
        if uid:
            # No controller runs that would remove protection finalizers.
            patch = {"metadata": {"finalizers": None}}
            server.request("PATCH", f"{path}/{name}", patch, Content_Type="application/merge-patch+json")
            options = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
            server.request("DELETE", f"{path}/{name}", options)
            if path == "/api/v1/namespaces":
                server.request("PUT", f"{path}/{name}/finalize", {"metadata": {"name": name}})
        print(json.dumps(out, separators=(",", ":"), ensure_ascii=False))


main()
