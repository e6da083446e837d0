//! Source text of a module of imported kinds: its header, imports and items.

use std::collections::{BTreeMap, BTreeSet};

use genclient_codegen::Uses;

use super::items::Items;
use super::kind::ImportedKind;
use super::lints;
use super::types::{self, Body, Field, ModuleTypes, RustType};

/// The kinds and types of one file.
pub(super) struct ImportedModule {
    /// The text after `//!`.
    pub(super) header: String,
    pub(super) kinds: Vec<ImportedKind>,
    pub(super) types: ModuleTypes,
}

/// Kubernetes' types that `genclient::prelude` exports.
const PRELUDE: [&str; 7] = [
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
        let own = self.types.own.iter().filter_map(|own| match &own.body {
            Body::Struct(body) => Some(&body.fields),
            Body::Enum(_) => None,
        });
        let kinds = self.kinds.iter().map(|kind| &kind.fields);
        kinds.chain(own).flatten()
    }

    /// The text of the file, which refers to `serde_json::Value` by the path `values`.
    pub(super) fn text(&self, values: &str) -> String {
        let kinds: BTreeSet<_> = self.kinds.iter().map(|kind| kind.name.clone()).collect();
        let (imports, uses) = self.imports(&kinds, values);
        let mut taken = kinds;
        let short = imports.values().filter(|name| !name.contains("::"));
        taken.extend(short.cloned());
        let names = types::assign(&self.types.own, &taken);
        let mut items = Items::new(&self.types.own, names, &imports);
        let mut order: Vec<usize> = Vec::new();
        let mut parts = Vec::new();
        for kind in &self.kinds {
            parts.push(items.kind(kind));
            for at in reached(&kind.fields, &self.types, &mut order) {
                parts.push(items.own(at));
            }
        }
        let is_documented = self.fields().all(|field| field.description.is_some())
            && self.kinds.iter().all(|kind| kind.description.is_some());
        let allowed = lints::allowed(&parts, &items.enums(), is_documented);
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
            collect(&field.type_, &mut paths, &mut has_maps);
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
            let is_prelude = PRELUDE.contains(&path.as_str());
            let hidden = !is_prelude && types::RESERVED.contains(&name) && name != "RawExtension";
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

fn collect(type_: &RustType, paths: &mut BTreeSet<String>, has_maps: &mut bool) {
    match type_ {
        RustType::Path(path) => {
            paths.insert(path.clone());
        }
        RustType::Own(_) => {}
        RustType::Map(inner) => {
            *has_maps = true;
            collect(inner, paths, has_maps);
        }
        RustType::List(inner) | RustType::Option(inner) => collect(inner, paths, has_maps),
    }
}

/// The types that `fields` use, directly or through other types, and that are not in `order` yet. A
/// type precedes the types of its fields.
fn reached(fields: &[Field], types: &ModuleTypes, order: &mut Vec<usize>) -> Vec<usize> {
    let start = order.len();
    visit(fields, types, order);
    order[start..].to_vec()
}

fn visit(fields: &[Field], types: &ModuleTypes, order: &mut Vec<usize>) {
    for field in fields {
        let Some(at) = own(&field.type_).filter(|at| !order.contains(at)) else {
            continue;
        };
        order.push(at);
        if let Body::Struct(body) = &types.own[at].body {
            visit(&body.fields, types, order);
        }
    }
}

fn own(type_: &RustType) -> Option<usize> {
    match type_ {
        RustType::Own(at) => Some(*at),
        RustType::Path(_) => None,
        RustType::List(inner) | RustType::Map(inner) | RustType::Option(inner) => own(inner),
    }
}
