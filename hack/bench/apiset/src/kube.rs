//! kube-derive output of the set: a crate that prints its CRDs.

use crate::model::{Field, Group, Kind, Literal, Shape, Struct, Type, TypeKind};
use crate::rust::{docs, field_type, literal, variants};
use crate::set::{COLUMNS, snake};
use crate::{Files, VERSION};

/// Imports, each with the word in the source that requires it.
const IMPORTS: [(&str, &str); 12] = [
    (
        "PodTemplateSpec",
        "k8s_openapi::api::core::v1::PodTemplateSpec",
    ),
    (
        "Quantity",
        "k8s_openapi::apimachinery::pkg::api::resource::Quantity",
    ),
    (
        "<Condition>",
        "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition",
    ),
    (
        "LabelSelector",
        "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector",
    ),
    (
        "<Time>",
        "k8s_openapi::apimachinery::pkg::apis::meta::v1::Time",
    ),
    (
        "IntOrString",
        "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString",
    ),
    ("CustomResource", "kube::CustomResource"),
    ("KubeSchema", "kube::KubeSchema"),
    ("<Duration>", "kube::core::Duration"),
    ("JsonSchema", "schemars::JsonSchema"),
    ("Serialize", "serde::{Deserialize, Serialize}"),
    ("BTreeMap", "std::collections::BTreeMap"),
];

/// Returns `src/…`. The caller writes the manifest.
pub(crate) fn files(groups: &[Group]) -> Files {
    let mut files = Files::new();
    let modules = groups
        .iter()
        .map(|group| format!("pub mod {};\n", group.package));
    files.insert("src/apis/mod.rs".into(), modules.collect());
    files.insert("src/main.rs".into(), main(groups));
    for group in groups {
        let kinds: String = group.kinds.iter().map(|k| kind(group, k)).collect();
        let title = format!("//! The kinds of `{}/{VERSION}`.\n\n", group.name);
        let file = format!("src/apis/{}.rs", group.package);
        files.insert(file.into(), title + &imports(&kinds) + &kinds);
    }
    files
}

fn imports(body: &str) -> String {
    let used = IMPORTS.iter().filter(|(word, _)| body.contains(word));
    used.map(|(_, path)| format!("use {path};\n")).collect()
}

fn main(groups: &[Group]) -> String {
    let mut prints = String::new();
    for group in groups {
        for kind in &group.kinds {
            prints += &format!("    print::<apis::{}::{}>();\n", group.package, kind.name);
        }
    }
    format!(
        "mod apis;

fn print<K: kube::CustomResourceExt>() {{
    println!(\"{{}}\", serde_json::to_string(&K::crd()).expect(\"a CRD is JSON\"));
}}

fn main() {{
{prints}}}
"
    )
}

fn kind(group: &Group, kind: &Kind) -> String {
    let columns = COLUMNS.map(|(name, type_, path)| {
        format!("    printcolumn(name = {name:?}, type_ = {type_:?}, json_path = {path:?}),\n")
    });
    let root = format!(
        "#[kube(
    group = {:?},
    version = {VERSION:?},
    kind = {:?},
    plural = {:?},
{}    status = \"{}Status\",
    shortname = {:?},
    doc = {:?},
{})]
",
        group.name,
        kind.name,
        kind.plural,
        if kind.cluster {
            ""
        } else {
            "    namespaced,\n"
        },
        kind.name,
        kind.short_name,
        kind.doc,
        columns.concat()
    );
    let spec = format!("{}Spec", kind.name);
    let roots = |type_: &Type| (type_.name == spec).then_some(root.as_str());
    let types = kind.types.iter().map(|of| type_(of, roots(of)));
    types.collect()
}

fn type_(type_: &Type, root: Option<&str>) -> String {
    let head = format!("\n/// {}\n", type_.doc);
    let Struct { fields } = match &type_.kind {
        TypeKind::Struct(fields) => fields,
        TypeKind::Enum(names) => {
            let derives = "#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]\n";
            return head + derives + &variants(&type_.name, names);
        }
    };
    let schema = if fields.iter().any(|field| field.limits.list.is_some()) {
        "KubeSchema"
    } else {
        "JsonSchema"
    };
    let resource = if root.is_some() {
        "CustomResource, "
    } else {
        ""
    };
    let body: String = fields.iter().map(|f| field(&type_.name, f)).collect();
    let defaults: String = fields
        .iter()
        .filter_map(|f| default(&type_.name, f))
        .collect();
    format!(
        "{head}#[derive({resource}Clone, Debug, PartialEq, Serialize, Deserialize, {schema})]
{}#[serde(rename_all = \"camelCase\")]
pub struct {} {{
{body}}}
{defaults}",
        root.unwrap_or_default(),
        type_.name
    )
}

fn field(owner: &str, field: &Field) -> String {
    let mut out = docs(field);
    let limits = limits(field);
    if !limits.is_empty() {
        out += &format!("    #[schemars({})]\n", limits.join(", "));
    }
    if let Some((kind, key)) = field.limits.list {
        let merge = match key {
            Some(key) => format!("Map(vec![{key:?}.into()])"),
            None => crate::set::capital(kind),
        };
        out += &format!("    #[x_kube(merge_strategy = ListMerge::{merge})]\n");
    }
    if field.optional {
        out += "    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n";
    } else if field.default.is_some() {
        out += &format!("    #[serde(default = {:?})]\n", default_name(owner, field));
    }
    out + &format!("    pub {}: {},\n", snake(field.name), field_type(field))
}

fn limits(field: &Field) -> Vec<String> {
    let limits = &field.limits;
    let call = |name: &str, least: Option<String>, most: Option<String>| {
        let least = least.map(|n| format!("min = {n}"));
        let most = most.map(|n| format!("max = {n}"));
        let arguments: Vec<_> = least.into_iter().chain(most).collect();
        (!arguments.is_empty()).then(|| format!("{name}({})", arguments.join(", ")))
    };
    let text = |n: Option<i64>| n.map(|n| n.to_string());
    let count = |n: Option<u32>| n.map(|n| n.to_string());
    let calls = [
        call("range", text(limits.minimum), text(limits.maximum)),
        call("length", count(limits.min_length), count(limits.max_length)),
        call("length", None, count(limits.max_items)),
        limits
            .pattern
            .map(|text| format!("regex(pattern = {text:?})")),
    ];
    calls.into_iter().flatten().collect()
}

fn default_name(owner: &str, field: &Field) -> String {
    format!(
        "default_{}_{}",
        snake(owner).trim_start_matches('_'),
        snake(field.name)
    )
}

fn default(owner: &str, field: &Field) -> Option<String> {
    let value = match (field.default?, &field.shape) {
        (Literal::Variant(variant), Shape::Own(name)) => format!("{name}::{variant}"),
        (text @ Literal::Text(_), _) => format!("{}.to_owned()", literal(&text)),
        (value, _) => literal(&value),
    };
    let name = default_name(owner, field);
    Some(format!(
        "\nfn {name}() -> {} {{\n    {value}\n}}\n",
        field_type(field)
    ))
}
