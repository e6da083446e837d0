"""Prints which minor version of Kubernetes added a field to a definition, as the sources of k8s-openapi tell.

The argument is a folder with sources of that crate, one folder for each version; stdin the published definitions
(codegen/schema/data/kubernetes.tsv). Fields that a definition always had are left out.
"""

import json
import pathlib
import re
import sys

DEFINITION = re.compile(r"// Generated from definition (\S+)")
FIELDS = re.compile(r"deserialize_struct\([^&]*&\[(.*?)\]", re.DOTALL)


def definitions(folder):
    """The fields of each definition of one minor version."""
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
    # A later release of the crate has the later patch of a minor version.
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
