"""Prints the minor version of Kubernetes that added a field, for the fields of built-in types.

    python3 hack/kinds/since.py FOLDER < apimachinery/schema/data/kubernetes.tsv

FOLDER has the sources of k8s-openapi, with a folder for each version of the crate; stdin has the
published definitions. Fields of the first version that has their definition are left out.
hack/kubernetes-since.sh calls this program.
"""

import json
import pathlib
import re
import sys

DEFINITION = re.compile(r"// Generated from definition (\S+)")
FIELDS = re.compile(r"deserialize_struct\([^&]*&\[(.*?)\]", re.DOTALL)


def definitions(folder):
    """Returns the fields of each definition in one minor version of Kubernetes."""
    found = {}
    for file in folder.rglob("*.rs"):
        text = file.read_text()
        if name := DEFINITION.match(text):
            fields = FIELDS.search(text)
            found[name[1]] = re.findall(r'"([^"]+)"', fields[1]) if fields else []
    return found


def main():
    crates = sorted(pathlib.Path(sys.argv[1]).glob("k8s-openapi-0.*"), key=lambda crate: int(crate.name.split(".")[1]))
    versions = {}
    # Later releases of the crate have later patch releases of a minor version, and replace earlier.
    for crate in crates:
        for folder in crate.glob("src/v1_*"):
            versions[int(folder.name.removeprefix("v1_"))] = definitions(folder)
    oldest, newest = min(versions), max(versions)
    print(f"# The minor version of Kubernetes 1 that added a field, as k8s-openapi has it from 1.{oldest} to 1.{newest}.")
    for line in sys.stdin:
        if line.startswith("#"):
            continue
        name, schema = line.split("\t", 1)
        with_it = [minor for minor in sorted(versions) if name in versions[minor]]
        for field in json.loads(schema).get("properties", {}):
            since = next((minor for minor in with_it if field in versions[minor][name]), None)
            if since is not None and since > with_it[0]:
                print(f"{name}\t{field}\t{since}")


main()
