//! Page `docs/diff.md`: the scope of `genclient diff`, and a list of all changes.

use std::fmt::Write;

use genclient_diff::ChangeKind;

const INTRODUCTION: &str = "\
# Breaking changes of a CRD

`genclient diff OLD [NEW]` compares two sets of CRDs. For each change it reports whether the change
can break a user, and why. If a change breaks users, the exit status is 1, so that a pipeline can
refuse a merge:

```console
$ genclient diff main                   # the current types against the CRDs of the branch `main`
$ genclient diff main...                # the current types against the merge base of `main` and `HEAD`
$ genclient diff v1.2.0 v1.3.0          # two releases
$ genclient diff old.yaml new/          # any YAML, also of other tools
$ kubectl get crd gputasks.falldio.com -o yaml | genclient diff -   # the CRDs of a cluster
```

`-q` prints only breaking changes that are not allowed. `--message-format json` prints one object
per line:

- `crd`, `version`, `path`, `change` (the name below), `old`, `new`, `breaking`, `why`
- `allowed`: the reason, if the package allows the change
- `package`, `file`, `line`: the location in the new definition. For the current types, `line` is a
  line of the YAML file that `genclient update` writes. Without a new definition, the three give the
  location in the old one (`REV:path`). A removed field has the line of its nearest remaining parent.

## Scope of the comparison

- CRDs: for a revision, those below `config/crd` of each package. The Cargo.toml files of the
  revision define its packages, so `diff` also finds packages that were deleted, moved or given
  another `config` folder since. In the folder of a package, `diff` compares only this package, with
  the package that had the same name, or else the same folder.
- Definitions with the same name. If one is removed and the same kind appears under another plural
  or group, it counts as renamed.
- Versions with the same name. A new storage version is also compared with the old storage version.
  Each part of stored objects that the new one cannot hold is a note.
- Validation, pruning, defaults and merging, at any depth: `.spec.ports[*].name` is a field of list
  items, `.spec.labels{*}` the values of a map.

Schemas that mean the same are equal. So no change is reported between

- constraints in a branch of `allOf` and the same constraints beside it,
- two orders of `required` or of `enum`,
- `maximum: 5` with `exclusiveMaximum: true` and `maximum: 4`, for an integer,
- a keyword beside a type that it does not apply to, such as `required` of a list or `minLength` of
  an integer, and no such keyword: the API server ignores it, as it does a `format` that it does not
  know beside the type,
- `x-kubernetes-preserve-unknown-fields` of a list and of its items,
- CEL rules that differ only in white space.

Not compared: descriptions, titles, examples, printer columns, the messages of rules, and the
`status` and `metadata` of a definition.

## Breaking changes

A change is breaking if an object, a manifest or a request that worked before can be refused, lose
data or have another effect. Since Kubernetes 1.30, validation ratcheting accepts an invalid value
that an update does not change. Ratcheting protects stored objects, but not a manifest that is
applied to a new cluster. Tightened validation is therefore breaking.

A change that admits more values breaks no object, but may break a client: its `match` may not know
a new enum value, and its `i32` may not hold a number. An added default (`default-added`) is such a
change, too: objects without the field stay valid, but clients now find a value there. `--strict`
counts these changes as breaking. New fields alone break nothing: clients ignore fields that they do
not know.

## Intended changes

List intended breaking changes in the Cargo.toml of the package, each with its reason.
`diff` then shows them as allowed, and the exit status does not count them:

```toml
[package.metadata.genclient]
diff-allow = [
    { crd = \"gputasks.falldio.com\", path = \".spec.cpu\", change = \"field-removed\", reason = \"nobody set it\" },
]
```

Write `path` as `diff` prints it, and omit it for a change without one. `version` is optional. An
entry that matches no change is a warning.

## Every change

The table lists every change by the name that `diff` prints and `diff-allow` takes:

";

pub(super) fn render_page() -> String {
    let mut text = format!("{INTRODUCTION}| change | breaking | why |\n|---|---|---|\n");
    for kind in ChangeKind::ALL {
        for (breaking, why) in kind.reasons() {
            let _ = writeln!(text, "| `{kind}` | {breaking} | {why} |");
        }
    }
    text.push_str("\nIf a change has two rows, the surrounding schema decides which one applies; the output says which.\n");
    text
}
