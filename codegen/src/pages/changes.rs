//! `docs/diff.md`: what `genclient diff` compares, and every change that it knows.

use std::fmt::Write;

use crate::diff::Kind;

const BEFORE: &str = "\
# What breaks users of a CRD

`genclient diff OLD [NEW]` compares two sets of CRDs and says of each change whether it can break a user, and why.
It exits with 1 if one does, so a pipeline can ask it before a merge:

```console
$ genclient diff main                   # the types as they are now against what `main` has checked in
$ genclient diff v1.2.0 v1.3.0          # two releases
$ genclient diff old.yaml new/          # any YAML: of another tool, or from `kubectl get crd NAME -o yaml`
```

`--message-format json` prints one object a line: `crd`, `version`, `path`, `change` (the name below), `old`, `new`, `breaking`,
`why`, and `allowed` with the reason if the package allows it.

## What is compared

- Definitions with the same name; one that is gone and came back under another plural or group is told as that.
- Each version with the version of the same name. If objects are to be stored in a version that is new, it is compared with the one
  that they are stored in now, and what it cannot hold of them is a note.
- Validation, pruning, defaults and merging, at any depth: `.spec.ports[*].name` is a member of list items, `.spec.labels{*}` the values of a map.
- What means the same is the same: the branches of an `allOf` and constraints beside it, the order of `required` and `enum`,
  `maximum: 5` with `exclusiveMaximum` and `maximum: 4` of an integer, CEL rules with the same tokens. Descriptions, titles, examples, printer columns and the messages of
  rules are not compared, nor is what stands in `status` and `metadata` of a definition.

A change breaks if an object or a client that was right can be wrong after it. Since Kubernetes 1.33 the API server lets a value that it no longer
accepts stay where an update does not touch it (validation ratcheting). That saves stored objects, not the next manifest
that is applied anew: tightened validation counts as breaking here.

## Changes that you mean

They are listed in the Cargo.toml of the package, each with its reason; they are still shown, as allowed, and do not fail:

```toml
[package.metadata.genclient]
diff-allow = [
    { crd = \"gputasks.falldio.com\", path = \".spec.cpu\", change = \"field-removed\", reason = \"nobody set it\" },
]
```

`path` is written as `diff` prints it, and left out for a change that has none; `version` may be added. An entry that allows nothing is a warning.

## Every change

";

pub(super) fn page() -> String {
    let mut text = format!("{BEFORE}| change | breaking | why |\n|---|---|---|\n");
    for kind in Kind::ALL {
        let rows = [("yes", kind.breaks), ("no", kind.harmless)];
        for (breaking, why) in rows.into_iter().filter(|(_, why)| !why.is_empty()) {
            let _ = writeln!(text, "| `{kind}` | {breaking} | {why} |");
        }
    }
    text.push_str("\nWhere a change has two rows, it depends on what stands beside it; the output says which.\n");
    text
}
