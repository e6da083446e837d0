//! Overviews printed by `genclient explain`: the keys of `crd`, supported attributes of other
//! crates, and the settings.

use std::fmt::Write;

use genclient_syntax::Target;
use genclient_syntax::table::{Applies, Attribute, TABLE, Within};

use super::settings::{DEPLOY_SETTINGS, PACKAGE_SETTINGS, Setting};

/// A name and its description.
pub type Row = (&'static str, &'static str);

/// Returns the overview with this name.
pub(super) fn find_topic(name: &str) -> Option<String> {
    let text = match name.trim_matches(['#', '[', ']']) {
        "crd" => keys_of_crd(),
        "serde" | "serde_with" => {
            format_overview(&format!("serde: {SERDE_INTRODUCTION}"), SERDE_KEYS)
        }
        "schemars" | "validate" | "garde" => format_overview(SCHEMARS_HEAD, SCHEMARS_KEYS),
        "kube" | "x_kube" => format_overview(KUBE_HEAD, KUBE_KEYS),
        "sharding" => SHARDING.to_owned(),
        "package.metadata.genclient" | "metadata.genclient" => {
            format_settings(SETTINGS_HEAD, PACKAGE_SETTINGS)
        }
        "package.metadata.genclient.deploy" | "metadata.genclient.deploy" => {
            format_settings(DEPLOY_HEAD, DEPLOY_SETTINGS)
        }
        _ => return None,
    };
    Some(text)
}

/// Names of the overviews.
pub(super) const TOPIC_NAMES: [&str; 7] = [
    "crd",
    "serde",
    "schemars",
    "kube",
    "sharding",
    "package.metadata.genclient",
    "package.metadata.genclient.deploy",
];

/// Returns the documentation of one setting.
pub(super) fn explain_setting(name: &str) -> Option<String> {
    let tables = [("", PACKAGE_SETTINGS), (".deploy", DEPLOY_SETTINGS)].into_iter();
    let mut found = tables.filter_map(|(table, settings)| {
        let setting = settings.iter().find(|setting| setting.name == name)?;
        Some((table, setting))
    });
    let (table, setting) = found.next()?;
    Some(format!(
        "{}: {}\n\n  [package.metadata.genclient{table}]\n  {}\n",
        setting.name, setting.summary, setting.example
    ))
}

/// Returns the documentation of a key of another crate's attribute. If `attribute` is `None`,
/// searches all such attributes.
pub(super) fn explain_foreign_key(attribute: Option<&str>, name: &str) -> Option<String> {
    let tables = [
        ("serde", SERDE_KEYS),
        ("schemars", SCHEMARS_KEYS),
        ("kube", KUBE_KEYS),
    ];
    let mut tables = tables
        .into_iter()
        .filter(|(table, _)| attribute.is_none_or(|outer| outer == *table));
    tables.find_map(|(table, rows)| {
        let is_row = |(keys, _): &&Row| keys.split(", ").any(|key| key == name);
        let (_, summary) = rows.iter().find(is_row)?;
        Some(format!("{name} in #[{table}(…)]: {summary}\n"))
    })
}

fn format_settings(head: &str, settings: &[Setting]) -> String {
    let rows: Vec<Row> = settings
        .iter()
        .map(|setting| (setting.name, setting.summary))
        .collect();
    format_overview(head, &rows) + "\n`genclient explain NAME` shows an example.\n"
}

fn format_overview(head: &str, rows: &[Row]) -> String {
    let mut text = format!("{head}\n\n");
    write_rows(&mut text, rows);
    text
}

/// Appends rows, with the names padded to one width.
fn write_rows(text: &mut String, rows: &[Row]) {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, summary) in rows {
        let _ = writeln!(text, "  {name:width$}  {summary}");
    }
}

fn keys_of_crd() -> String {
    let mut text =
        "crd: Schema and metadata of a kind, a type or a field in its CRD. The keys of #[crd(…)]:\n".to_owned();
    for group in CRD_KEY_GROUPS {
        let of_group = TABLE
            .iter()
            .filter(|entry| entry.within == Within::Crd && group_of(entry) == *group);
        let rows: Vec<Row> = of_group.map(|entry| (entry.name, entry.summary)).collect();
        let _ = writeln!(text, "\n{group}:");
        write_rows(&mut text, &rows);
    }
    text + "\n`genclient explain NAME` explains one of them.\n"
}

const CRD_KEY_GROUPS: &[&str] = &[
    "On a kind",
    "On any type or field",
    "On numbers",
    "On strings",
    "On lists",
    "On maps and structs",
    "On fields only",
    "On structs and enums only",
];

fn group_of(entry: &Attribute) -> &'static str {
    match (entry.targets, entry.applies) {
        ([Target::Resource], _) => CRD_KEY_GROUPS[0],
        ([Target::Field], _) => CRD_KEY_GROUPS[6],
        ([Target::Resource, Target::Type] | [Target::Type], _) => CRD_KEY_GROUPS[7],
        (_, Applies::All) => CRD_KEY_GROUPS[1],
        (_, Applies::Numbers) => CRD_KEY_GROUPS[2],
        (_, Applies::Strings) => CRD_KEY_GROUPS[3],
        (_, Applies::Lists) => CRD_KEY_GROUPS[4],
        (_, Applies::Maps | Applies::Objects | Applies::Structs) => CRD_KEY_GROUPS[5],
    }
}

const SHARDING: &str = r#"sharding: The replicas of a program share the objects. Each reconciles and caches its part.

  [package.metadata.genclient.deploy]
  replicas = 3
  shard-by = "namespace"   # or "name"

The program gets the flag --shard-by, and its role permits the Leases of all Pods.

  "namespace"  The hash of its namespace decides about an object's replica. The API server
               sends a replica only its part if its feature gate ShardedListAndWatch is on.
  "name"       The hash of its namespace and name decides. For few large namespaces, and for
               cluster-scoped kinds. The API server sends all objects to each replica.

No two replicas reconcile one object. A replica that shuts down is replaced when its reconciles have
ended, and one that was killed after --leader-elect-lease-duration.

What keeps a replica from working, and all replicas:
  kubectl get --raw /api/v1/namespaces/NAMESPACE/pods/POD:8081/proxy/readyz/shards
  kubectl get leases -l genclient/shard-group -n NAMESPACE

`genclient explain shard-by` explains the setting. docs/scale-out.md has the rest: what each setting
reads and caches, what happens when replicas come and go, metrics, limits.
"#;

const SETTINGS_HEAD: &str =
    "[package.metadata.genclient]: Settings of a package, in its Cargo.toml. All are optional.";

const DEPLOY_HEAD: &str = "[package.metadata.genclient.deploy]: Deployment of the program of a package. All keys are optional.";

/// What precedes the keys of serde.
pub const SERDE_INTRODUCTION: &str = "The schema admits what serde reads and writes. These keys of #[serde(…)] and serde_with are supported:";

/// The keys of serde, with their effect on a schema.
pub const SERDE_KEYS: &[Row] = &[
    (
        "rename",
        "Name of a field, variant or tag. It must be the same for reading and writing.",
    ),
    ("rename_all", "Names of all fields or variants."),
    ("rename_all_fields", "Names of the fields of all variants."),
    (
        "default",
        "The field may be absent. The value of a function becomes the default of the CRD.",
    ),
    (
        "flatten",
        "The members belong to the enclosing object; a map takes all other members.",
    ),
    ("skip", "The field is not in the schema."),
    (
        "skip_serializing",
        "The field is never written; it needs a `default`.",
    ),
    ("skip_deserializing", "The field may be absent."),
    (
        "skip_serializing_if",
        "An `Option` is not nullable, since it is not written as null.",
    ),
    (
        "skip_serializing_none",
        "No `Option` of the type is nullable, except those with `serialize_always` (serde_with).",
    ),
    (
        "serialize_always",
        "The field is written as null despite `skip_serializing_none` (serde_with).",
    ),
    ("transparent", "The schema is that of the type's field."),
    (
        "tag",
        "Property that distinguishes the variants of an enum, or contains the name of a struct.",
    ),
    ("content", "Property with the data of a tagged enum."),
    ("untagged", "A value may match any of the variants."),
    (
        "other",
        "Variant for every other tag; the schema admits any tag.",
    ),
    (
        "with",
        "Some modules are known; others need a stated schema: `#[crd(schema = { .. })]`.",
    ),
    ("serialize_with", "The schema must be stated."),
    ("deserialize_with", "The schema must be stated."),
    (
        "from",
        "The schema is that of the other type, which `into` must name as well.",
    ),
    (
        "try_from",
        "The schema is that of the other type, which `into` must name as well.",
    ),
    ("into", "The schema is that of the other type."),
    ("remote", "The schema must be stated."),
    (
        "getter",
        "Not allowed: serde accepts it only with `remote`.",
    ),
    ("serde_as", "The schema must be stated (serde_with)."),
    (
        "alias",
        "Not allowed: the API server prunes every name but one.",
    ),
    (
        "deny_unknown_fields",
        "No effect: the API server prunes unknown fields, or refuses them if the client requests that.",
    ),
];

const SCHEMARS_HEAD: &str = "schemars: Attributes of schemars apply in addition to #[crd(…)]. These keys of #[schemars(…)], #[validate(…)] and #[garde(…)] are supported:";

const SCHEMARS_KEYS: &[Row] = &[
    (
        "length",
        "`min_length` and `max_length`; on a list, `min_items` and `max_items`.",
    ),
    ("range", "`minimum` and `maximum`."),
    ("regex, pattern, contains", "`pattern`."),
    ("email, url, ipv4, ipv6", "`format`."),
    (
        "ip",
        "No effect: the API server knows no format for both IPv4 and IPv6 addresses.",
    ),
    ("inner", "These keys for the items of a list."),
    ("required", "`required`."),
    (
        "title, description, example",
        "Documentation in the schema.",
    ),
    ("extend", "Additional keys of the schema."),
    (
        "default",
        "The default of the CRD: that of the type, or the result of the function.",
    ),
    ("skip", "The field is not in the schema."),
    ("with", "The schema of another type."),
    (
        "schema_with",
        "The schema that the function returns, if its source determines it; otherwise the schema must be stated.",
    ),
    ("transform", "Not allowed: the schema must be stated."),
    (
        "rename, tag, …",
        "Attributes that schemars shares with serde; they must agree with serde's.",
    ),
];

// In two parts, because `update` searches the text of packages for kinds. With the whole derive,
// this package would be one with API types.
const KUBE_HEAD: &str = concat!(
    "kube: A type with #[derive(",
    "CustomResource)] is a kind as it stands. The keys of #[kube(…)], and their counterparts:"
);

const KUBE_KEYS: &[Row] = &[
    (
        "group, version, kind",
        "`#[group]`, `#[version]`, `#[kind]`.",
    ),
    (
        "plural, singular",
        "`#[crd(plural = \"..\", singular = \"..\")]`; the default plural is kube's.",
    ),
    (
        "namespaced",
        "`#[crd(scope = \"Namespaced\")]`, which is the default here.",
    ),
    (
        "root, doc",
        "The name of the kind's type, and its doc comment.",
    ),
    (
        "no_spec",
        "The fields are next to `metadata`, not in a field `spec`.",
    ),
    ("status", "A field `status`."),
    (
        "shortname, category",
        "`#[crd(short_names = [..], categories = [..])]`.",
    ),
    ("printcolumn", "`#[crd(printcolumn(..))]`."),
    ("scale", "`#[crd(scale(..))]`."),
    ("selectable", "`#[crd(selectable_field = \"..\")]`."),
    (
        "validation",
        "`#[crd(validation(..))]`, the same as #[x_kube(validation = ..)].",
    ),
    ("annotation, label", "`#[crd(annotation(..), label(..))]`."),
    (
        "served, storage, deprecated",
        "`#[crd(unserved)]`, `#[crd(storage)]`, `#[crd(deprecated)]`.",
    ),
    (
        "schema",
        "`manual` and `disabled`: `#[genclient(skip_crd)]`, since the program provides the schema.",
    ),
    (
        "derive, attr, crates, cel",
        "No counterpart: effective only in the program.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use genclient_syntax::table::{TABLE, Within};
    use genclient_syntax::{kube_keys, schemars_keys};

    use super::{
        CRD_KEY_GROUPS, KUBE_KEYS, Row, SCHEMARS_KEYS, SERDE_KEYS, TOPIC_NAMES, find_topic,
        group_of,
    };

    /// Returns the keys in the first column of rows.
    fn documented(rows: &[Row]) -> BTreeSet<&str> {
        let keys = rows.iter().flat_map(|(keys, _)| keys.split(", "));
        keys.filter(|key| *key != "…").collect()
    }

    /// Returns the quoted keys in every part of the source that begins with `start` and ends before
    /// `end`.
    fn quoted_keys_between<'s>(source: &'s str, start: &str, end: &str) -> BTreeSet<&'s str> {
        let parts = source
            .split(start)
            .skip(1)
            .flat_map(|part| part.split(end).next());
        let texts = parts.flat_map(|part| part.split('"').skip(1).step_by(2));
        texts
            .filter(|text| {
                let mut letters = text.chars();
                letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
            .collect()
    }

    #[test]
    fn every_key_of_crd_is_in_the_overview() {
        let text = find_topic("#[crd]").unwrap();
        for entry in TABLE.iter().filter(|entry| entry.within == Within::Crd) {
            assert!(CRD_KEY_GROUPS.contains(&group_of(entry)));
            assert!(
                text.contains(&format!("\n  {} ", entry.name)),
                "{}",
                entry.name
            );
        }
    }

    #[test]
    fn serde_overview_lists_the_parsed_keys() {
        let source = include_str!("../../../src/resolve/schema/serde_attrs.rs");
        let documented = documented(SERDE_KEYS);
        for key in &documented {
            assert!(source.contains(&format!("\"{key}\"")), "{key} is not read");
        }
        let read = quoted_keys_between(source, "match name.to_string().as_str() {", "        _ =>");
        assert!(read.contains("rename_all"));
        let undocumented_keys: Vec<_> = read.difference(&documented).collect();
        assert!(
            undocumented_keys.is_empty(),
            "{undocumented_keys:?} are not documented"
        );
    }

    #[test]
    fn schemars_overview_lists_the_parsed_keys() {
        // `schemars_keys` leaves out keys of serde. The row `rename, tag, …` stands for them.
        let mut documented = documented(SCHEMARS_KEYS);
        documented.retain(|key| !["rename", "tag"].contains(key));
        assert_eq!(documented, schemars_keys().collect());
    }

    #[test]
    fn kube_overview_lists_the_parsed_keys() {
        assert_eq!(documented(KUBE_KEYS), kube_keys().collect());
    }

    #[test]
    fn keys_suggested_by_rows_exist_in_the_table() {
        for (key, text) in KUBE_KEYS.iter().chain(SCHEMARS_KEYS) {
            let written = text.split("#[crd(").skip(1);
            for written in written.flat_map(|text| text.split(")]").next()) {
                let name = written.split(['(', ' ']).next().unwrap();
                let known = TABLE
                    .iter()
                    .any(|entry| entry.within == Within::Crd && entry.name == name);
                assert!(known, "{key}: {name}");
            }
        }
    }

    #[test]
    fn overviews_are_found_by_their_names() {
        for name in TOPIC_NAMES {
            let text = find_topic(name).unwrap();
            assert!(text.contains(name), "{text}");
        }
    }
}
