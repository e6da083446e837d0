//! Rust output of the set, for `genclient`.

use std::path::PathBuf;

use crate::model::{Enum, Field, Group, Kind, Literal, Shape, Struct, Type, TypeKind};
use crate::set::{COLUMNS, snake};
use crate::{Files, VERSION};

/// Returns `pkg/apis/…`. The caller writes the manifest.
pub(crate) fn files(groups: &[Group]) -> Files {
    let mut files = Files::new();
    let modules: String = groups
        .iter()
        .map(|group| format!("pub mod {};\n", group.package))
        .collect();
    files.insert("pkg/apis/mod.rs".into(), modules);
    for group in groups {
        let folder = PathBuf::from("pkg/apis").join(&group.package);
        files.insert(folder.join("mod.rs"), format!("pub mod {VERSION};\n"));
        files.insert(folder.join(format!("{VERSION}.rs")), version(group));
    }
    files
}

fn version(group: &Group) -> String {
    let kinds: String = group.kinds.iter().map(|k| kind(group, k)).collect();
    let title = format!("//! The kinds of `{}/{VERSION}`.\n\n", group.name);
    title + &imports(&kinds) + &kinds
}

/// Returns the prelude, and imports that it lacks.
fn imports(body: &str) -> String {
    let template = "use k8s_openapi::api::core::v1::PodTemplateSpec;\n";
    let map = "use std::collections::BTreeMap;\n";
    let used = [(template, "PodTemplateSpec"), (map, "BTreeMap")];
    let lines: String = used
        .iter()
        .filter(|(_, name)| body.contains(name))
        .map(|(line, _)| *line)
        .collect();
    format!("use genclient::prelude::*;\n{lines}")
}

fn kind(group: &Group, kind: &Kind) -> String {
    let Kind {
        name,
        short_name,
        doc,
        ..
    } = kind;
    let scope = if kind.cluster { "(non_namespaced)" } else { "" };
    let columns = COLUMNS.map(|(name, type_, path)| {
        format!("    printcolumn(name = {name:?}, type = {type_:?}, json_path = {path:?}),\n")
    });
    let root = format!(
        "\n/// {doc}
#[genclient{scope}]
#[group = {:?}]
#[crd(
    short_names = [{short_name:?}],
{})]
pub struct {name} {{
    pub metadata: ObjectMeta,
    pub spec: {name}Spec,
    pub status: Option<{name}Status>,
}}
",
        group.name,
        columns.concat()
    );
    root + &kind.types.iter().map(type_).collect::<String>()
}

fn type_(type_: &Type) -> String {
    let head = format!("\n/// {}\n", type_.doc);
    let body = match &type_.kind {
        TypeKind::Struct(Struct { fields }) => {
            let fields: String = fields.iter().map(field).collect();
            format!(
                "#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]\n\
                 #[serde(rename_all = \"camelCase\")]\npub struct {} {{\n{fields}}}\n",
                type_.name
            )
        }
        TypeKind::Enum(names) => {
            "#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]\n"
                .to_owned()
                + &variants(&type_.name, names)
        }
    };
    head + &body
}

/// Returns `pub enum Name { … }`.
pub(crate) fn variants(name: &str, names: &Enum) -> String {
    let variants: String = names
        .variants
        .iter()
        .map(|v| format!("    {v},\n"))
        .collect();
    format!("pub enum {name} {{\n{variants}}}\n")
}

fn field(field: &Field) -> String {
    let mut out = docs(field);
    let limits = limits(field);
    if !limits.is_empty() {
        out += &format!("    #[crd({})]\n", limits.join(", "));
    }
    if field.optional {
        out += "    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n";
    }
    out + &format!("    pub {}: {},\n", snake(field.name), field_type(field))
}

/// Returns the doc comment of a field.
pub(crate) fn docs(field: &Field) -> String {
    field
        .doc
        .lines()
        .map(|line| format!("    /// {line}\n"))
        .collect()
}

fn limits(field: &Field) -> Vec<String> {
    let limits = &field.limits;
    let mut out = Vec::new();
    let mut add = |key: &str, value: Option<String>| {
        out.extend(value.map(|value| format!("{key} = {value}")));
    };
    add("default", field.default.map(|value| literal(&value)));
    add("minimum", limits.minimum.map(|n| n.to_string()));
    add("maximum", limits.maximum.map(|n| n.to_string()));
    add("min_length", limits.min_length.map(|n| n.to_string()));
    add("max_length", limits.max_length.map(|n| n.to_string()));
    add("pattern", limits.pattern.map(|text| format!("{text:?}")));
    add("max_items", limits.max_items.map(|n| n.to_string()));
    add(
        "list_type",
        limits.list.map(|(kind, _)| format!("{kind:?}")),
    );
    let key = limits.list.and_then(|(_, key)| key);
    add("list_map_keys", key.map(|key| format!("[{key:?}]")));
    out
}

/// Returns a Rust literal; a variant of an enum as text.
pub(crate) fn literal(value: &Literal) -> String {
    match value {
        Literal::Int(number) => number.to_string(),
        Literal::Bool(value) => value.to_string(),
        Literal::Text(text) | Literal::Variant(text) => format!("{text:?}"),
    }
}

/// Returns the type of a field.
pub(crate) fn field_type(field: &Field) -> String {
    let inner = shape(&field.shape);
    if field.optional {
        format!("Option<{inner}>")
    } else {
        inner
    }
}

fn shape(of: &Shape) -> String {
    let name = match of {
        Shape::Text => "String",
        Shape::Int32 => "i32",
        Shape::Int64 => "i64",
        Shape::Bool => "bool",
        Shape::Quantity => "Quantity",
        Shape::IntOrString => "IntOrString",
        Shape::Duration => "Duration",
        Shape::Time => "Time",
        Shape::LabelSelector => "LabelSelector",
        Shape::Condition => "Condition",
        Shape::PodTemplate => "PodTemplateSpec",
        Shape::Own(name) => name,
        Shape::List(item) => return format!("Vec<{}>", shape(item)),
        Shape::Map(value) => return format!("BTreeMap<String, {}>", shape(value)),
    };
    name.to_owned()
}
