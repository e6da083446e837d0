//! Source text of a module of imported kinds: its header, imports and items.

use std::collections::{BTreeMap, BTreeSet};

use genclient_codegen::Uses;

use super::attribute::{self, KeyArgument};
use super::items::Items;
use super::kind::ImportedKind;
use super::names;
use super::types::{Body, Field, ModuleTypes, RustType};

/// The kinds and types of one file.
pub(super) struct ImportedModule {
    /// The text after `//!`.
    pub(super) header: String,
    pub(super) kinds: Vec<ImportedKind>,
    pub(super) types: ModuleTypes,
}

/// Kubernetes' types that `genclient::prelude` exports.
const PRELUDE_TYPES: [&str; 7] = [
    "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta",
    "k8s_openapi::apimachinery::pkg::apis::meta::v1::Time",
    "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
];

impl ImportedModule {
    pub(super) fn field_count(&self) -> usize {
        self.fields().count()
    }

    fn fields(&self) -> impl Iterator<Item = &Field> {
        let own = self.types.own.iter().map(|own| own.body.fields());
        let kinds = self.kinds.iter().map(|kind| &*kind.fields);
        kinds.chain(own).flatten()
    }

    /// The text of the file, which refers to `serde_json::Value` by the path `values`.
    pub(super) fn render(&self, values: &str) -> String {
        let kinds: BTreeSet<_> = self.kinds.iter().map(|kind| kind.name.clone()).collect();
        let (imports, uses) = self.imports(&kinds, values);
        let mut taken = kinds;
        let short = imports.values().filter(|name| !name.contains("::"));
        taken.extend(short.cloned());
        let chains: Vec<_> = self.types.own.iter().map(|own| &*own.uses).collect();
        let names = names::assign_type_names(&chains, &taken);
        let mut items = Items::new(&self.types.own, names, &imports);
        let mut order: Vec<usize> = Vec::new();
        let mut parts = Vec::new();
        for kind in &self.kinds {
            parts.push(items.generate_kind(kind));
            for at in reachable_types(&kind.fields, &self.types, &mut order) {
                parts.push(items.generate_type(at));
            }
        }
        let is_documented = self.fields().all(|field| field.description.is_some())
            && self.kinds.iter().all(|kind| kind.description.is_some());
        let mut own = self.types.own.iter();
        let has_unions = own.any(|own| matches!(own.body, Body::Union(_)));
        let allowed = allow_attribute(&parts, &items.enum_names(), is_documented, has_unions);
        let mut sections = vec![format!("//! {}\n", self.header)];
        sections.extend(Some(allowed).filter(|allowed| !allowed.is_empty()));
        sections.extend(uses);
        sections.extend(parts);
        sections.join("\n")
    }

    /// The names of imported types by path, and the `use` items.
    fn imports(
        &self,
        kinds: &BTreeSet<String>,
        values: &str,
    ) -> (BTreeMap<String, String>, Vec<String>) {
        let mut paths = BTreeSet::new();
        let mut has_maps = self.kinds.iter().any(|kind| kind.open);
        for own in &self.types.own {
            has_maps |= matches!(&own.body, Body::Struct(body) if body.open);
        }
        for field in self.fields() {
            collect_paths(&field.type_, &mut paths, &mut has_maps);
        }
        let mut uses = Uses::new(kinds.iter().cloned());
        let mut imports = BTreeMap::new();
        let mut taken: BTreeSet<String> = kinds.clone();
        imports.insert("serde_json::Value".to_owned(), values.to_owned());
        for path in paths {
            let Some((module, name)) = path.rsplit_once("::") else {
                continue;
            };
            if path.starts_with("serde_json::") {
                continue;
            }
            let is_prelude = PRELUDE_TYPES.contains(&path.as_str());
            let hidden =
                !is_prelude && names::RESERVED_TYPE_NAMES.contains(&name) && name != "RawExtension";
            let name = if hidden || !taken.insert(name.to_owned()) {
                path.clone()
            } else if is_prelude {
                name.to_owned()
            } else {
                uses.name(module, name)
            };
            imports.insert(path, name);
        }
        if has_maps {
            uses.name("std::collections", "BTreeMap");
        }
        let mut sections = uses.sections();
        let prelude = "use genclient::prelude::*;\n";
        match sections
            .iter_mut()
            .find(|section| !section.starts_with("use std::"))
        {
            Some(section) => section.insert_str(0, prelude),
            None => sections.push(prelude.to_owned()),
        }
        (imports, sections)
    }
}

fn collect_paths(type_: &RustType, paths: &mut BTreeSet<String>, has_maps: &mut bool) {
    match type_ {
        RustType::Path(path) => {
            paths.insert(path.clone());
        }
        RustType::Own(_) => {}
        RustType::Map(inner) => {
            *has_maps = true;
            collect_paths(inner, paths, has_maps);
        }
        RustType::List(inner) | RustType::Option(inner) => collect_paths(inner, paths, has_maps),
    }
}

/// The types that `fields` use, directly or through other types, and that are not in `order` yet. A
/// type precedes the types of its fields.
fn reachable_types(fields: &[Field], types: &ModuleTypes, order: &mut Vec<usize>) -> Vec<usize> {
    let start = order.len();
    visit_fields(fields, types, order);
    order[start..].to_vec()
}

fn visit_fields(fields: &[Field], types: &ModuleTypes, order: &mut Vec<usize>) {
    for field in fields {
        let Some(at) = own_type(&field.type_).filter(|at| !order.contains(at)) else {
            continue;
        };
        order.push(at);
        visit_fields(types.own[at].body.fields(), types, order);
    }
}

fn own_type(type_: &RustType) -> Option<usize> {
    match type_ {
        RustType::Own(at) => Some(*at),
        RustType::Path(_) => None,
        RustType::List(inner) | RustType::Map(inner) | RustType::Option(inner) => own_type(inner),
    }
}

/// A documentation lint, and whether a doc line may trigger it.
type DocLint = (&'static str, fn(&str) -> bool);

const DOC_LINTS: [DocLint; 7] = [
    ("clippy::doc_lazy_continuation", is_block),
    ("clippy::doc_overindented_list_items", is_block),
    ("clippy::tabs_in_doc_comments", |line| line.contains('\t')),
    ("rustdoc::bare_urls", |line| line.contains("://")),
    ("rustdoc::broken_intra_doc_links", |line| line.contains('[')),
    ("rustdoc::invalid_html_tags", |line| line.contains('<')),
    ("rustdoc::invalid_rust_codeblocks", is_code),
];

/// The `allow` attribute of a file with these items; empty if they trigger no lint. The size of a
/// variant is not known, so each enum with data may trigger a lint.
fn allow_attribute(
    items: &[String],
    enums: &[Vec<String>],
    is_documented: bool,
    has_unions: bool,
) -> String {
    let lines = items.iter().flat_map(|item| item.lines());
    let docs: Vec<_> = lines
        .filter_map(|line| line.trim_start().strip_prefix("///"))
        .collect();
    let mut found: Vec<&'static str> = Vec::new();
    if enums.iter().any(|variants| share_a_word(variants)) {
        found.push("clippy::enum_variant_names");
    }
    let doc_lints = DOC_LINTS.iter();
    let set_off = doc_lints.filter(|(_, may_set_off)| docs.iter().any(|line| may_set_off(line)));
    found.extend(set_off.map(|(lint, _)| *lint));
    if !is_documented {
        found.push("missing_docs");
    }
    if has_unions {
        found.push("clippy::large_enum_variant");
    }
    if found.is_empty() {
        return String::new();
    }
    found.sort_unstable();
    let mut arguments: Vec<_> = found.into_iter().map(KeyArgument::Flag).collect();
    let reason = if has_unions {
        "descriptions, names and types are those of the CRD"
    } else {
        "descriptions and names are those of the CRD"
    };
    arguments.push(KeyArgument::from_text("reason", reason));
    let allow = attribute::format_attribute("allow", &arguments, 0);
    format!("{}\n", allow.replacen("#[", "#![", 1))
}

/// True for a line that begins a list item or a quotation.
fn is_block(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_number.len() < line.len() && after_number.starts_with(['.', ')']);
    let is_item = ["- ", "* ", "+ ", ">"]
        .iter()
        .any(|mark| line.starts_with(mark));
    is_numbered || is_item
}

/// True for a line of a code block, or its fence.
fn is_code(line: &str) -> bool {
    let line = line.strip_prefix(' ').unwrap_or(line);
    let text = line.trim_start();
    line.starts_with("    ") || line.starts_with('\t') || text.starts_with("```")
}

/// True if `clippy::enum_variant_names` may report the enum. The lint reports an enum of at least
/// three variants if all begin or end with the same word, or if one begins or ends with the enum's
/// name. `enum_` is the enum's name, followed by the variants.
fn share_a_word(enum_: &[String]) -> bool {
    let Some((name, variants)) = enum_.split_first() else {
        return false;
    };
    let first = |name: &str| {
        let mut letters = name.char_indices().skip(1);
        let end = letters.find(|(_, c)| c.is_uppercase());
        name[..end.map_or(name.len(), |(at, _)| at)].to_owned()
    };
    let last = |name: &str| name[name.rfind(char::is_uppercase).unwrap_or(0)..].to_owned();
    let all_have = |word: &dyn Fn(&str) -> String| {
        let mut words = variants.iter().map(|variant| word(variant));
        words
            .next()
            .is_some_and(|word| words.all(|other| other == word))
    };
    let names_type =
        |variant: &String| variant.starts_with(name.as_str()) || variant.ends_with(name.as_str());
    variants.len() > 2 && (all_have(&first) || all_have(&last) || variants.iter().any(names_type))
}

#[cfg(test)]
mod tests {
    use super::allow_attribute;

    #[test]
    fn only_lints_that_docs_trigger_are_allowed() {
        for (docs, lints) in [
            ("Its name.", ""),
            ("A tab\there.", "clippy::tabs_in_doc_comments"),
            ("See https://example.com.", "rustdoc::bare_urls"),
            ("One of [a, b].", "rustdoc::broken_intra_doc_links"),
            ("As `<name>`.", "rustdoc::invalid_html_tags"),
            (
                "- one",
                "clippy::doc_lazy_continuation clippy::doc_overindented_list_items",
            ),
            (
                "1. one",
                "clippy::doc_lazy_continuation clippy::doc_overindented_list_items",
            ),
            ("    code", "rustdoc::invalid_rust_codeblocks"),
            ("---", ""),
        ] {
            let items = [format!("    /// {docs}\n    pub name: String,\n")];
            let text = allow_attribute(&items, &[], true, false);
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let found: Vec<_> = words.filter(|word| word.contains("::")).collect();
            assert_eq!(found.join(" "), lints, "{docs}");
        }
        assert!(allow_attribute(&[], &[], false, false).contains("missing_docs"));
    }

    #[test]
    fn shared_words_in_variant_names_are_detected() {
        for (names, expected) in [
            ("Policy Always Never IfNotPresent", false),
            ("Policy Always Never PolicyOff", true),
            ("Mode TlsOn TlsOff TlsAuto", true),
            ("Mode EcKey RsaKey DsaKey", true),
            ("Mode TlsOn TlsOff", false),
        ] {
            let names: Vec<_> = names.split(' ').map(str::to_owned).collect();
            assert_eq!(
                !allow_attribute(&[], &[names], true, false).is_empty(),
                expected
            );
        }
    }
}
