//! `scheme.rs`: the table of kinds, and an enum over their objects.

use super::names::{api_version, cfg, version_client};
use super::package::{PackageFiles, RustFile};
use super::uses::Uses;
use crate::model::{Group, Model, Resource, Version};
use crate::template::{join_with_blank_lines, rust};

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    let mut uses = Uses::new(["AnyObject".to_owned(), "KINDS".to_owned()]);
    let entries = model.resources().map(|(group, version, resource)| Entry {
        group,
        version,
        resource,
        path: uses.import_kind(&package.kinds.path(&resource.type_path), &resource.cfg),
    });
    let kinds: Vec<_> = entries.collect();
    let table = kinds_constant(&kinds, &uses.name("genclient::scheme", "Kind"));
    let any_object = any_object_enum(&kinds, &mut uses);
    let source = RustFile {
        docs: vec!["The kinds that this client knows.".to_owned()],
        items: join_with_blank_lines([table, any_object]),
        uses,
        ..RustFile::default()
    };
    package.rust("scheme.rs", &source);
}

struct Entry<'a> {
    group: &'a Group,
    version: &'a Version,
    resource: &'a Resource,
    path: String,
}

/// The name of a kind's variant: `FalldioV1GPUTask`. It stays the same when other groups, versions
/// and kinds are added.
fn variant_name(entry: &Entry<'_>) -> String {
    let client = version_client(entry.group, entry.version);
    format!("{client}{}", entry.resource.kind)
}

/// The constant `KINDS`. `kind` is the name of the type of its entries.
fn kinds_constant(kinds: &[Entry<'_>], kind: &str) -> String {
    let rows: String = kinds.iter().map(|entry| kinds_entry(entry, kind)).collect();
    // rustfmt puts a single entry on the lines of the brackets.
    if let [entry] = kinds
        && entry.resource.cfg.is_empty()
    {
        let row = rows.trim_end_matches(",\n");
        return rust!(kind, row => "
            /// Every kind, by group, version and name.
            pub const KINDS: &[$kind] = &[$row];
        ");
    }
    rust!(kind, rows => "
        /// Every kind, by group, version and name.
        pub const KINDS: &[$kind] = &[
            $rows
        ];
    ")
}

/// The entry of a kind: `Kind { … },` with each field on its own line.
fn kinds_entry(entry: &Entry<'_>, kind: &str) -> String {
    let conditions = cfg(&entry.resource.cfg);
    let quoted = |text: &str| format!("{text:?}");
    let (group, version) = (quoted(&entry.group.name), quoted(&entry.version.name));
    let (name, plural) = (quoted(&entry.resource.kind), quoted(&entry.resource.plural));
    let namespaced = entry.resource.is_namespaced().to_string();
    rust!(conditions, kind, group, version, name, plural, namespaced => "
        $conditions
        $kind {
            group: $group,
            version: $version,
            kind: $name,
            plural: $plural,
            namespaced: $namespaced,
        },
    ")
}

/// The `cfg` condition under which at least one kind is compiled; empty if a kind has no condition.
fn any_kind_condition(kinds: &[Entry<'_>]) -> Vec<String> {
    let condition = |entry: &Entry<'_>| match &entry.resource.cfg[..] {
        [one] => one.clone(),
        all => format!("all({})", all.join(", ")),
    };
    if kinds.iter().any(|entry| entry.resource.cfg.is_empty()) {
        return Vec::new();
    }
    let mut alternatives: Vec<_> = kinds.iter().map(condition).collect();
    alternatives.dedup();
    match &alternatives[..] {
        [one] => vec![one.clone()],
        any => vec![format!("any({})", any.join(", "))],
    }
}

fn any_object_enum(kinds: &[Entry<'_>], uses: &mut Uses) -> String {
    let boxed = uses.prelude("std::boxed", "Box");
    let from = uses.prelude("std::convert", "From");
    let variants: String = kinds
        .iter()
        .map(|entry| enum_variant(entry, &boxed))
        .collect();
    let methods = enum_methods(kinds, uses);
    let conversions =
        join_with_blank_lines(kinds.iter().map(|entry| from_impl(entry, &from, &boxed)));
    rust!(variants, methods, conversions => "
        /// An object of any of these kinds.
        #[derive(Clone, Debug)]
        pub enum AnyObject {
            $variants
        }

        $methods

        $conversions
    ")
}

fn enum_variant(entry: &Entry<'_>, boxed: &str) -> String {
    let conditions = cfg(&entry.resource.cfg);
    let (kind, variant) = (&entry.resource.kind, variant_name(entry));
    let (path, version) = (&entry.path, api_version(entry.group, entry.version));
    rust!(kind, version, conditions, variant, boxed, path => "
        /// `$kind` of `$version`.
        $conditions
        $variant($boxed<$path>),
    ")
}

fn enum_methods(kinds: &[Entry<'_>], uses: &mut Uses) -> String {
    let error = uses.name("genclient::scheme", "DecodeError");
    let type_meta = uses.name_if(
        "genclient::kube::core",
        "TypeMeta",
        &any_kind_condition(kinds),
    );
    let object_meta = uses.name("genclient::kube::core", "ObjectMeta");
    let result = uses.prelude("std::result", "Result");
    let reads: String = kinds
        .iter()
        .map(|entry| decode_branch(entry, &type_meta))
        .collect();
    // If all kinds are conditional, the enum may have no variants. A match on the reference `self`
    // would then still need an arm, but a match on `*self` needs none.
    let always = kinds.iter().any(|entry| entry.resource.cfg.is_empty());
    let (this, object) = if always {
        ("self", "object")
    } else {
        ("*self", "ref object")
    };
    let arms: String = kinds
        .iter()
        .map(|entry| metadata_arm(entry, object))
        .collect();
    rust!(result, error, reads, object_meta, this, arms => "
        impl AnyObject {
            /// Decodes an object by its `apiVersion` and `kind`.
            ///
            /// # Errors
            ///
            /// The kind is unknown, or the object does not match it.
            pub fn from_json(json: &[u8]) -> $result<Self, $error> {
                let types = genclient::scheme::decode(json)?;
                $reads
                Err($error::unknown(types))
            }

            /// The object's metadata.
            pub fn metadata(&self) -> &$object_meta {
                match $this {
                    $arms
                }
            }
        }
    ")
}

fn decode_branch(entry: &Entry<'_>, type_meta: &str) -> String {
    let conditions = cfg(&entry.resource.cfg);
    let path = &entry.path;
    rust!(conditions, type_meta, path => "
        $conditions
        if types == $type_meta::resource::<$path>() {
            let object: $path = genclient::scheme::from_json(json)?;
            return Ok(Self::from(object));
        }
    ")
}

fn metadata_arm(entry: &Entry<'_>, object: &str) -> String {
    let conditions = cfg(&entry.resource.cfg);
    let variant = variant_name(entry);
    rust!(conditions, variant, object => "
        $conditions
        Self::$variant($object) => &object.metadata,
    ")
}

fn from_impl(entry: &Entry<'_>, from: &str, boxed: &str) -> String {
    let conditions = cfg(&entry.resource.cfg);
    let (variant, path) = (variant_name(entry), &entry.path);
    rust!(conditions, from, path, variant, boxed => "
        $conditions
        impl $from<$path> for AnyObject {
            fn from(object: $path) -> Self {
                Self::$variant($boxed::new(object))
            }
        }
    ")
}
