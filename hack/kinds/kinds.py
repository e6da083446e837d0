"""Prints the built-in kinds of an API server: subresources, selectable fields, columns, strategies.

    python3 hack/kinds/kinds.py KUBECONFIG > runtime/apiserver/builtins/data/kinds.tsv

Kinds come from discovery, columns from tables, name rules and selectable fields from responses to
test requests. Strategies are not served: the tables below have those of pkg/registry in Kubernetes'
sources.
"""

import json
import sys

from server import Server

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"

# Kinds, as group/plural, whose strategy has AllowCreateOnUpdate.
CREATE_ON_UPDATE = """
/endpoints /events /limitranges /services coordination.k8s.io/leases events.k8s.io/events
node.k8s.io/runtimeclasses rbac.authorization.k8s.io/clusterrolebindings
rbac.authorization.k8s.io/clusterroles rbac.authorization.k8s.io/rolebindings
rbac.authorization.k8s.io/roles
""".split()

# Kinds whose AllowUnconditionalUpdate is false: an update needs a resource version.
CONDITIONAL_UPDATE = """
admissionregistration.k8s.io/mutatingadmissionpolicies
admissionregistration.k8s.io/mutatingadmissionpolicybindings
admissionregistration.k8s.io/mutatingwebhookconfigurations
admissionregistration.k8s.io/validatingadmissionpolicies
admissionregistration.k8s.io/validatingadmissionpolicybindings
admissionregistration.k8s.io/validatingwebhookconfigurations
apiextensions.k8s.io/customresourcedefinitions apiregistration.k8s.io/apiservices
coordination.k8s.io/leases node.k8s.io/runtimeclasses policy/poddisruptionbudgets
storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/csistoragecapacities
storage.k8s.io/volumeattachments
""".split()

# Kinds with ReturnDeletedObject: a delete returns the object instead of a Status.
RETURNS_DELETED = """
/namespaces /persistentvolumeclaims /persistentvolumes /pods /podtemplates /resourcequotas
/serviceaccounts /services resource.k8s.io/deviceclasses resource.k8s.io/resourceclaims
resource.k8s.io/resourceclaimtemplates resource.k8s.io/resourceslices
resource.k8s.io/devicetaintrules storage.k8s.io/csidrivers storage.k8s.io/csinodes
storage.k8s.io/storageclasses storage.k8s.io/volumeattachments
storage.k8s.io/volumeattributesclasses
""".split()

# Kinds with metadata.generation: PrepareForCreate sets it, PrepareForUpdate increments it.
GENERATION = """
/pods /podtemplates /replicationcontrollers
admissionregistration.k8s.io/mutatingadmissionpolicies
admissionregistration.k8s.io/mutatingadmissionpolicybindings
admissionregistration.k8s.io/mutatingwebhookconfigurations
admissionregistration.k8s.io/validatingadmissionpolicies
admissionregistration.k8s.io/validatingadmissionpolicybindings
admissionregistration.k8s.io/validatingwebhookconfigurations
apiextensions.k8s.io/customresourcedefinitions
apps/daemonsets apps/deployments apps/replicasets apps/statefulsets batch/cronjobs batch/jobs
discovery.k8s.io/endpointslices flowcontrol.apiserver.k8s.io/flowschemas
flowcontrol.apiserver.k8s.io/prioritylevelconfigurations networking.k8s.io/ingressclasses
networking.k8s.io/ingresses networking.k8s.io/networkpolicies policy/poddisruptionbudgets
resource.k8s.io/deviceclasses resource.k8s.io/devicetaintrules resource.k8s.io/resourceslices
scheduling.k8s.io/priorityclasses
""".split()

# Kinds whose DefaultGarbageCollectionPolicy is OrphanDependents.
ORPHANS = ["/replicationcontrollers", "batch/jobs"]

# Kinds with a RESTGracefulDeleteStrategy.
GRACEFUL = ["/pods"]

# Metadata of the stored object that a write to the status subresource cannot change.
STATUS_KEEPS = {
    "apps/deployments": "labels",
    "/pods": "owners",
    "networking.k8s.io/servicecidrs": "metadata",
    "resource.k8s.io/resourceclaims": "metadata",
    "storage.k8s.io/volumeattachments": "metadata",
    "admissionregistration.k8s.io/validatingadmissionpolicies": "metadata",
    "flowcontrol.apiserver.k8s.io/flowschemas": "metadata",
    "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": "metadata",
}

# Candidates for field selectors. All kinds support metadata.name and metadata.namespace.
FIELDS = """
action count eventTime firstTimestamp involvedObject.apiVersion involvedObject.fieldPath
involvedObject.kind involvedObject.name involvedObject.namespace involvedObject.resourceVersion
involvedObject.uid lastTimestamp reason regarding.apiVersion regarding.fieldPath regarding.kind
regarding.name regarding.namespace regarding.resourceVersion regarding.uid reportingComponent
reportingController source spec.clusterIP spec.driver spec.hostNetwork spec.ipAddress
spec.nodeName spec.parentRef.resource spec.restartPolicy spec.schedulerName
spec.serviceAccountName spec.signerName spec.type spec.unschedulable status.nominatedNodeName
status.phase status.podIP status.podIPs status.replicas status.successful type
""".split()


def line(*cells: object) -> None:
    """Prints a row of tab-separated cells."""
    print("\t".join(str(cell) for cell in cells))


def strategies(name: str) -> list[str]:
    """Returns the names of the flags in the strategy of a kind, as kinds.tsv has them."""
    table = {
        "create-on-update": CREATE_ON_UPDATE,
        "conditional-update": CONDITIONAL_UPDATE,
        "returns-deleted": RETURNS_DELETED,
        "generation": GENERATION,
        "orphans": ORPHANS,
        "graceful": GRACEFUL,
    }
    kept = [f"status-keeps-{part}" for kind, part in STATUS_KEEPS.items() if kind == name]
    return [word for word, names in table.items() if name in names] + kept


def name_rule(server: Server, base: str, resource: dict, kind: str, api_version: str) -> str:
    """Returns the validation rule of object names, from the errors for invalid names."""
    rules = []
    for name in ["A_b", "a.b", "1a", "a%"]:
        body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}
        path = collection(base, resource, "default") + "?dryRun=All"
        _, _, text = server.request("POST", path, body)
        causes = (json.loads(text).get("details") or {}).get("causes", [])
        rules += [cause["message"] for cause in causes if cause.get("field") == "metadata.name"]
    text = " ".join(rules)
    for words, rule in [
        ("RFC 1035", "dns1035-label"),
        ("RFC 1123 label", "dns-label"),
        ("RFC 1123 subdomain", "dns-subdomain"),
        ("may not contain '%'", "path-segment"),
    ]:
        if words in text:
            return rule
    return "other"


def collection(base: str, resource: dict, namespace: str = "") -> str:
    """Returns the path of a collection, in one namespace or in all."""
    inner = f"/namespaces/{namespace}" if namespace and resource["scope"] == "Namespaced" else ""
    return f"{base}{inner}/{resource['resource']}"


def kind(server: Server, group: str, version: str, resource: dict, hashes: dict) -> None:
    """Prints the rows of a kind: the kind, its subresources, selectable fields and columns."""
    base = f"/apis/{group}/{version}" if group else f"/api/{version}"
    api_version = f"{group}/{version}" if group else version
    plural, own = resource["resource"], resource["responseKind"]["kind"]
    verbs = resource["verbs"]
    rule = name_rule(server, base, resource, own, api_version) if {"create", "get"} <= set(verbs) else ""
    line(
        "kind", group, version, plural, resource["singularResource"], own, resource["scope"],
        ",".join(resource.get("shortNames", [])), ",".join(resource.get("categories", [])),
        ",".join(verbs), ",".join(strategies(f"{group}/{plural}")), rule, hashes.get(plural, ""),
    )
    for sub in resource.get("subresources", []):
        response = sub["responseKind"]
        line(
            "subresource", sub["subresource"], response["group"], response["version"], response["kind"],
            ",".join(sub["verbs"]),
        )
    if "list" not in verbs:
        return
    path = collection(base, resource)
    for field in FIELDS:
        code, _, _ = server.request("GET", f"{path}?fieldSelector={field}%3Dx&limit=1")
        if code == 200:
            line("field", field)
    for column in server.get(path + "?limit=1", TABLE)["columnDefinitions"]:
        description = json.dumps(column["description"])
        line("column", column["name"], column["type"], column["format"], column["priority"], description)


def main() -> None:
    """Prints the version of the server and all kinds."""
    server = Server.of(sys.argv[1])
    version = server.get("/version")
    print(f"# What Kubernetes {version['gitVersion']} serves of its own.")
    line("version", json.dumps(version, separators=(",", ":")))
    for root in ["/api", "/apis"]:
        for group in server.get(root, AGGREGATED)["items"]:
            name = group.get("metadata", {}).get("name", "")
            for served in group["versions"]:
                base = f"/apis/{name}/{served['version']}" if name else "/api/v1"
                listed = server.get(base)["resources"]
                hashes = {one["name"]: one["storageVersionHash"] for one in listed if "storageVersionHash" in one}
                for resource in served["resources"]:
                    kind(server, name, served["version"], resource, hashes)


main()
