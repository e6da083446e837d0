//! `docs/diff.md`: what `genclient diff` compares, and every kind of change.

use std::fmt::Write;

use crate::diff::ChangeKind;

const BEFORE: &str = "\
# What breaks users of a CRD

`genclient diff OLD [NEW]` compares two sets of CRDs and says of each change whether it can break a
user, and why. If one does, the exit status is 1, so that a pipeline can refuse a merge:

```console
$ genclient diff main                   # the types as they are now against what `main` has checked in
$ genclient diff main...                # the same against the merge base of `main` and `HEAD`
$ genclient diff v1.2.0 v1.3.0          # two releases
$ genclient diff old.yaml new/          # any YAML, also of other tools
$ kubectl get crd gputasks.falldio.com -o yaml | genclient diff -   # what a cluster has
```

`-q` prints only what breaks and is not allowed. `--message-format json` prints one object a line:
`crd`, `version`, `path`, `change` (the name below), `old`, `new`, `breaking`, `why`, and `allowed`
with the reason if the package allows it. `package`, `file` and `line` say where to see it: in the
new definition, which for the current types is the file that `genclient update` writes, or in the
old one (`REV:path`) if there is no new one. A field that is gone has the line of what is left
above it.

## What is compared

- Of a revision, the CRDs below `config/crd` of each package, as the manifests of that revision have
  the packages: those of a package that is deleted, moved or given another `config` folder since are
  found. Inside of a package only that one is compared, by its name or else its folder.
- Definitions with the same name. One that is gone while the same kind appears under another plural or
  group counts as renamed.
- Each version with the version of the same name. A new storage version is compared with the old one:
  whatever it cannot hold of the stored objects is a note.
- Validation, pruning, defaults and merging, at any depth: `.spec.ports[*].name` is a field of list
  items, `.spec.labels{*}` the values of a map.
- Schemas with the same meaning are equal: the branches of an `allOf` and constraints beside it, the
  order of `required` and `enum`, `maximum: 5` with `exclusiveMaximum` and `maximum: 4` of an integer,
  CEL rules with the same tokens.
- Not compared: descriptions, titles, examples, printer columns, the messages of rules, and the
  `status` and `metadata` of a definition.

## What breaks

A change breaks if an object, a manifest or a request that worked before can be refused, lose data
or have another effect after it. Since Kubernetes 1.30 the API server keeps a value that it no longer
accepts where an update does not touch it (validation ratcheting). That protects stored objects, but
not a manifest that is applied to a new cluster: tightened validation breaks.

A change that admits more breaks no object, but may surprise a client: a new enum value is one that
its `match` does not know, and a number may be what its `i32` cannot hold. `--strict` counts these
changes as breaking, too. No change breaks only because an object can have new fields: clients ignore
the fields that they do not know.

## Changes that you mean

List them in the Cargo.toml of the package, each with its reason. They are shown as allowed, and do
not fail:

```toml
[package.metadata.genclient]
diff-allow = [
    { crd = \"gputasks.falldio.com\", path = \".spec.cpu\", change = \"field-removed\", reason = \"nobody set it\" },
]
```

`path` is written as `diff` prints it, and left out for a change without one; `version` may be added.
An entry that allows nothing is a warning.

## Every change

";

pub(super) fn page() -> String {
    let mut text = format!("{BEFORE}| change | breaking | why |\n|---|---|---|\n");
    for kind in ChangeKind::ALL {
        for (breaking, why) in kind.reasons() {
            let _ = writeln!(text, "| `{kind}` | {breaking} | {why} |");
        }
    }
    text.push_str("\nWhere a change has two rows, the schema around it decides which one holds; the output says so.\n");
    text
}
