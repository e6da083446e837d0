//! Outlines of the apply configurations of small packages.

use std::collections::BTreeSet;
use std::fs;

use crate::model::{
    ApplyContent, ApplyField, ApplyForm, ApplyKey, ApplyModule, ApplyPlace, ApplyStruct, ApplyType,
    ApplyValue, Artefact, TypeArgument, TypeName,
};

/// A kind `Gateway` with the spec `Spec`, for sources that declare the other types.
const HEADER: &str = "\
use std::collections::{BTreeMap, BTreeSet};
use genclient::k8s_openapi::api::core::v1::PodSpec;
use genclient::prelude::*;
use serde::{Deserialize, Serialize};

#[genclient]
#[group = \"edge.example.com\"]
#[version = \"v1\"]
pub struct Gateway { pub metadata: ObjectMeta, pub spec: Spec }
";

const MANIFEST: &str = "\
[package]
name = \"edge\"
edition = \"2024\"
[package.metadata.genclient]
apply-configurations = true
[dependencies]
genclient = \"1\"
serde = \"1\"
serde_json = \"1\"
";

/// Returns the source with the derives of API types above each struct and enum that has none.
fn with_derives(source: &str) -> String {
    let derive = "#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]\n";
    let lines = source.lines().map(|line| {
        let begins = ["pub struct", "pub enum", "struct"];
        if begins.iter().any(|begin| line.starts_with(begin)) {
            format!("{derive}{line}\n")
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

/// Returns the outline of the apply configurations of a package with these files below `src`.
fn outline(files: &[(&str, String)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("Cargo.toml");
    fs::write(&manifest, MANIFEST).unwrap();
    for (file, text) in files {
        let path = folder.path().join("src").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let project = crate::discover(Some(&manifest), &[]).unwrap().remove(0);
    let artefacts = BTreeSet::from([Artefact::ApplyConfiguration, Artefact::Clientset]);
    let (model, _) = crate::understand(&project, &artefacts).unwrap();
    let modules = model.apply.iter().filter(|module| !module.types.is_empty());
    modules.map(show_module).collect()
}

fn outline_of_spec(types: &str) -> String {
    let lib = "pub mod apis;\npub mod client;\n".to_owned();
    let apis = HEADER.to_owned() + &with_derives(types);
    let text = outline(&[("lib.rs", lib), ("apis/mod.rs", apis)]);
    let kind = "[]\nkind GatewayApply(labels annotations finalizers)\n    spec: SpecApply\n";
    text.strip_prefix(kind).map(str::to_owned).unwrap_or(text)
}

fn show_module(module: &ApplyModule) -> String {
    let mut text = format!("[{}]{}\n", module.path.join("::"), show_cfg(&module.cfg));
    text.extend(module.types.iter().map(show_type));
    text
}

fn show_cfg(cfg: &[String]) -> String {
    cfg.iter()
        .map(|condition| format!(" #[cfg({condition})]"))
        .collect()
}

fn show_type(config: &ApplyType) -> String {
    let ApplyType { name, .. } = config;
    let incomparable = if config.is_comparable {
        ""
    } else {
        " incomparable"
    };
    let end = format!("{}{incomparable}\n", show_cfg(&config.cfg));
    match &config.form {
        ApplyForm::Kind(kind, body) => {
            let setters = kind.metadata_setters.join(" ");
            format!("kind {name}({setters}){end}{}", show_fields(body))
        }
        ApplyForm::Struct(body) => {
            let keys: Vec<_> = body.keys.iter().map(show_key).collect();
            format!(
                "struct {name}({}){end}{}",
                keys.join(", "),
                show_fields(body)
            )
        }
        ApplyForm::Union(union) => {
            let tag = union.tag.as_ref().map(|tag| format!(" tag={tag}"));
            let mut text = format!("union {name}{}{end}", tag.unwrap_or_default());
            for variant in &union.variants {
                let content = match &variant.content {
                    ApplyContent::Unit => String::new(),
                    ApplyContent::Empty => " {}".to_owned(),
                    ApplyContent::Value(value) => format!(" {}", show_value(value)),
                };
                text.push_str(&format!("    {}{content}\n", variant.name));
            }
            text
        }
    }
}

fn show_key(key: &ApplyKey) -> String {
    match &key.within {
        Some(within) => format!("{within}.{}", key.name),
        None => key.name.clone(),
    }
}

fn show_fields(body: &ApplyStruct) -> String {
    body.fields.iter().map(show_field).collect()
}

fn show_field(field: &ApplyField) -> String {
    let place = match field.place {
        ApplyPlace::Member => "",
        ApplyPlace::Flattened => "flatten ",
        ApplyPlace::FlattenedOption => "flatten option ",
        ApplyPlace::FlattenedMap => "flatten map ",
    };
    let setter = if field.setter == field.name {
        String::new()
    } else {
        format!(" by {}", field.setter)
    };
    let rename = field.rename.as_ref().map(|name| format!(" as {name}"));
    let notes: String = field
        .notes
        .iter()
        .map(|note| format!("\n        {note}"))
        .collect();
    format!(
        "    {place}{}{}{setter}: {}{}{notes}\n",
        field.name,
        rename.unwrap_or_default(),
        show_value(&field.value),
        show_cfg(&field.cfg),
    )
}

fn show_value(value: &ApplyValue) -> String {
    match value {
        ApplyValue::Text => "text".to_owned(),
        ApplyValue::Plain(name) => show_name(name),
        ApplyValue::Config(name) => name.path.replace("crate::client::applyconfiguration::", ""),
        ApplyValue::Option(inner) => format!("{}?", show_value(inner)),
        ApplyValue::List { collection, item } => {
            format!("{}[{}]", show_name(collection), show_value(item))
        }
        ApplyValue::Map {
            collection,
            key,
            value,
        } => {
            let (key, value) = (show_value(key), show_value(value));
            format!("{}[{key}, {value}]", show_name(collection))
        }
        ApplyValue::Array(item, length) => format!("[{}; {length}]", show_value(item)),
    }
}

fn show_name(name: &TypeName) -> String {
    if name.arguments.is_empty() {
        return name.path.clone();
    }
    let arguments: Vec<_> = name.arguments.iter().map(show_argument).collect();
    format!("{}<{}>", name.path, arguments.join(", "))
}

fn show_argument(argument: &TypeArgument) -> String {
    match argument {
        TypeArgument::Type(name) => show_name(name),
        TypeArgument::Array(item, length) => format!("[{}; {length}]", show_argument(item)),
        TypeArgument::Other(text) => text.clone(),
    }
}

/// Types of a kind's spec, and the outline of their configurations.
const SPECS: &[(&str, &str)] = &[
    // Scalars, collections, and names of our own functions.
    (
        r#"
pub struct Spec {
    pub class: String,
    pub r#type: Option<Mode>,
    pub new: bool,
    pub args: Vec<String>,
    pub hosts: BTreeSet<Host>,
    pub weights: BTreeMap<String, Backend>,
    pub holes: Vec<Option<Box<Backend>>>,
    pub pair: [Backend; 2],
    pub path: std::path::PathBuf,
    #[serde(skip)]
    pub cache: u8,
}
pub struct Host(String);
pub struct Backend { pub port: i32 }
pub enum Mode { On, Off }
"#,
        "\
struct SpecApply()
    class: text
    type: crate::apis::Mode
    new by new_: bool
    args: Vec[text]
    hosts: std::collections::BTreeSet[crate::apis::Host]
    weights: std::collections::BTreeMap[text, BackendApply]
    holes: Vec[BackendApply?]
    pair: [BackendApply; 2]
    path: std::path::PathBuf
struct BackendApply()
    port: i32
",
    ),
    // Aliases and newtypes are seen through only if a configuration is inside.
    (
        r#"
pub struct Spec {
    pub name: Name,
    pub ports: Ports,
    pub all: Named<Port>,
    pub plain: Named<i32>,
    pub inner: Option<Maybe>,
}
pub type Name = String;
pub type Maybe = Option<Port>;
pub type Named<T> = BTreeMap<String, T>;
pub struct Ports(Vec<Port>);
pub struct Port { pub port: i32 }
"#,
        "\
struct SpecApply()
    name: text
    ports: Vec[PortApply]
    all: std::collections::BTreeMap[text, PortApply]
    plain: crate::apis::Named<i32>
    inner: PortApply
struct PortApply()
    port: i32
",
    ),
    // Keys without a default are asked for, also those of flattened structs.
    (
        r#"
pub struct Spec {
    #[crd(list_type = "map", list_map_keys = ["name", "protocol"])]
    pub listeners: Vec<Listener>,
}
pub struct Listener {
    #[serde(flatten)]
    pub named: Named,
    #[crd(default = "TCP")]
    pub protocol: String,
    pub port: i32,
}
pub struct Named { pub name: String }
"#,
        "\
struct SpecApply()
    listeners: Vec[ListenerApply]
struct ListenerApply(named.name)
    flatten named: NamedApply
    protocol: text
    port: i32
struct NamedApply(name)
    name: text
",
    ),
    // Unions, and what is flattened.
    (
        r#"
#[serde(rename_all = "camelCase")]
pub struct Spec {
    pub source: Option<Source>,
    #[serde(flatten)]
    pub tls: Option<Tls>,
    #[serde(flatten)]
    pub limits: Option<Limits>,
    #[serde(flatten)]
    #[crd(preserve_unknown_fields)]
    pub rest: BTreeMap<String, serde_json::Value>,
}
pub enum Source { Git { url: String }, Image(String), Nothing {} }
#[serde(tag = "mode")]
pub enum Tls { Off, Terminate { secret: String } }
pub struct Limits { pub connections: i32 }
"#,
        "\
struct SpecApply()
    source: SourceApply
    flatten option tls: TlsApply
    flatten limits: LimitsApply
    flatten map rest: std::collections::BTreeMap[text, genclient::serde_json::Value]
union SourceApply
    Git SourceGitApply
    Image text
    Nothing {}
struct SourceGitApply()
    url: text
union TlsApply tag=mode
    Off
    Terminate TlsTerminateApply
struct TlsTerminateApply()
    secret: text
struct LimitsApply()
    connections: i32
",
    ),
    // Types that are sent whole, with the reason.
    (
        r#"
pub struct Spec {
    pub pair: Pair<i32>,
    pub target: Target,
    #[crd(schema = { "type": "object" })]
    pub stated: Stated,
    #[serde(with = "seconds")]
    #[crd(schema = { "type": "integer" })]
    pub timeout: std::time::Duration,
    pub pod: PodSpec,
    #[crd(schemaless, preserve_unknown_fields)]
    pub next: Option<Box<Spec>>,
}
pub struct Pair<T> { pub a: T, pub b: T }
#[serde(untagged)]
pub enum Target { One { a: String }, Two { b: String } }
pub struct Stated { pub a: i32 }
"#,
        "\
struct SpecApply()
    pair: crate::apis::Pair<i32>
        Sent whole, with all its required fields: `Pair` is generic.
    target: crate::apis::Target
        Sent whole, with all its required fields: `Target` is an untagged enum.
    stated: crate::apis::Stated
        Sent whole, with all its required fields: `Stated` has a schema that an attribute states.
    timeout: i64
        In its serialized form, since `with` serializes the field.
    pod: genclient::k8s_openapi::api::core::v1::PodSpec
        Always sends `containers`, which k8s-openapi requires.
    next: crate::apis::Spec
        Sent whole, with all its required fields: `Spec` has a schema that an attribute states.
",
    ),
    // Configurations are not ordered, and lengths of arrays are numbers.
    (
        r#"
pub struct Spec {
    pub ports: BTreeSet<Port>,
    pub weights: BTreeSet<ordered_float::OrderedFloat<f64>>,
    pub pair: [Port; SIZE],
    pub triple: [Port; SIZE + 1],
    pub ring: Ring<4>,
    pub same: Pair<[u8; SIZE]>,
}
const SIZE: usize = 2;
pub struct Port { pub port: i32 }
pub struct Ring<const N: usize>([Port; N]);
pub struct Pair<T> { pub a: T, pub b: T }
"#,
        "\
struct SpecApply()
    ports: Vec[PortApply]
    weights: Vec[f64]
    pair: [PortApply; 2]
    triple: [PortApply; 3]
    ring: [PortApply; 4]
    same: crate::apis::Pair<[u8; 2]>
        Sent whole, with all its required fields: `Pair` is generic.
struct PortApply()
    port: i32
",
    ),
    // Arguments are read at the place of use, and those that are not data are not read.
    (
        r#"
pub struct Spec {
    pub listeners: List<Listener>,
    pub defaults: Defaults,
    pub marked: Marker<Unused>,
}
pub type List<T> = Vec<T>;
pub type Defaults<T = Route, const N: usize = 2> = [T; N];
#[serde(transparent)]
pub struct Marker<T>(u32, std::marker::PhantomData<T>);
pub struct Unused { pub a: i32 }
pub struct Listener {
    #[crd(list_type = "map", list_map_keys = ["host"])]
    pub routes: Vec<Route>,
}
pub struct Route { pub host: String }
"#,
        "\
struct SpecApply()
    listeners: Vec[ListenerApply]
    defaults: [RouteApply; 2]
    marked: crate::apis::Marker<crate::apis::Unused>
struct ListenerApply()
    routes: Vec[RouteApply]
struct RouteApply(host)
    host: text
",
    ),
    // A type implements `PartialEq` with itself, in every build, and if its arguments do.
    (
        r#"
pub struct Spec {
    pub by_argument: Option<ByArgument>,
    pub by_text: Option<ByText>,
    pub by_test: Option<ByTest>,
    pub by_impl: Option<ByImpl>,
}
pub struct ByArgument { pub pair: Pair<Weight> }
pub struct ByText { pub name: Name }
pub struct ByTest { pub tested: Tested }
pub struct ByImpl { pub own: Own }
pub struct Pair<T> { pub a: T, pub b: T }
#[derive(Serialize, Deserialize, CrdSchema)]
 pub enum Weight { Light }
#[derive(Serialize, Deserialize, CrdSchema)]
 pub enum Name { First }
impl PartialEq<str> for Name {}
#[derive(Serialize, Deserialize, CrdSchema)]
 pub enum Tested { Once }
#[cfg(test)]
impl PartialEq for Tested {}
#[derive(Serialize, Deserialize, CrdSchema)]
 pub enum Own { Mine }
impl PartialEq for Own {}
"#,
        "\
[]
kind GatewayApply(labels annotations finalizers) incomparable
    spec: SpecApply
struct SpecApply() incomparable
    by_argument: ByArgumentApply
    by_text: ByTextApply
    by_test: ByTestApply
    by_impl: ByImplApply
struct ByArgumentApply() incomparable
    pair: crate::apis::Pair<crate::apis::Weight>
        Sent whole, with all its required fields: `Pair` is generic.
struct ByTextApply() incomparable
    name: crate::apis::Name
struct ByTestApply() incomparable
    tested: crate::apis::Tested
struct ByImplApply()
    own: crate::apis::Own
",
    ),
    // Types that generated code cannot name.
    (
        r#"
pub struct Spec {
    #[crd(schema = { "type": "array", "items": { "type": "integer" } })]
    pub window: (u32, Unit),
    #[crd(schema = { "type": "object" })]
    pub pair: Pair<(u32, Unit)>,
    pub named: Window,
}
pub struct Pair<T> { pub a: T }
pub enum Unit { Seconds }
#[crd(schema = { "type": "string" })]
pub struct Window(u32, Unit);
"#,
        "\
struct SpecApply()
    window: Vec[i64]
        In its serialized form, since generated code cannot name its type.
    pair: genclient::serde_json::Value
        In its serialized form, since generated code cannot name its type.
    named: crate::apis::Window
        Sent whole, with all its required fields: `Window` has a schema that an attribute states.
",
    ),
];

#[test]
fn fields_have_the_types_that_setters_take() {
    for (types, expected) in SPECS {
        assert_eq!(outline_of_spec(types), *expected, "{types}");
    }
}

#[test]
fn modules_are_those_by_which_types_are_public() {
    let kind = |name: &str, group: &str| {
        format!(
            "#[genclient]\n#[group = \"{group}\"]\n#[version = \"v1\"]\npub struct {name} {{ pub metadata: ObjectMeta, pub spec: crate::shared::Limits }}\n"
        )
    };
    let header = "use genclient::prelude::*;\n";
    let files = [
        (
            "lib.rs",
            "pub mod apis;\nmod shared;\npub mod client;\n".to_owned(),
        ),
        (
            "shared.rs",
            "use genclient::prelude::*;\nuse serde::{Deserialize, Serialize};\n".to_owned()
                + &with_derives("pub struct Limits { pub connections: i32 }\n"),
        ),
        (
            "apis/mod.rs",
            "pub mod a;\n#[cfg(feature = \"b\")]\npub mod b;\n".to_owned(),
        ),
        (
            "apis/a/mod.rs",
            "mod inner;\npub use inner::*;\n".to_owned(),
        ),
        (
            "apis/a/inner.rs",
            header.to_owned() + &kind("Alpha", "a.example.com"),
        ),
        (
            "apis/b.rs",
            header.to_owned() + &kind("Beta", "b.example.com"),
        ),
    ];
    assert_eq!(
        outline(&files),
        "\
[a]
kind AlphaApply(labels annotations finalizers)
    spec: shared::LimitsApply
[b] #[cfg(feature = \"b\")]
kind BetaApply(labels annotations finalizers)
    spec: shared::LimitsApply
[shared]
struct LimitsApply()
    connections: i32
"
    );
}

/// Without a CRD, types need no schema.
#[test]
fn structs_that_serde_may_write_otherwise_are_sent_whole() {
    let types = r#"
pub struct Spec {
    pub next: Option<Box<Spec>>,
    pub owner: Option<Box<Other>>,
    pub converted: Converted,
    pub tagged: Tagged,
    pub region: geo::Region,
    pub level: Level,
    pub hidden: Hidden,
    pub range: Range,
    pub bounds: Bounds,
    pub wrapped: Wrapped,
    pub custom: Custom,
}
pub struct Bound { pub a: i32 }
pub struct Range(Bound, Bound);
pub enum Bounds { Between(Bound, Bound) }
pub struct Wrapped(#[serde_as(as = "Text")] Bound);
pub enum Custom { Written(#[serde_as(as = "Text")] Bound), Bound(Bound) }
#[serde(from = "String", into = "String")]
pub struct Converted { pub a: i32 }
#[serde(tag = "kind")]
pub struct Tagged { pub a: i32 }
struct Hidden { a: i32 }
"#;
    let others = "\
pub struct Level { pub a: i32 }
#[genclient(skip_crd)]
#[group = \"edge.example.com\"]
#[version = \"v1\"]
pub struct Other { pub metadata: ObjectMeta }
";
    let apis = HEADER.replace("#[genclient]", "#[genclient(skip_crd)]");
    let manifest = MANIFEST.to_owned() + "geo = { path = \"geo\" }\n";
    let geo = "[package]\nname = \"geo\"\n".to_owned();
    let region = "use serde::{Deserialize, Serialize};\n".to_owned()
        + &with_derives("pub struct Region { pub name: String }\n");
    let files = [
        ("../Cargo.toml", manifest),
        ("../geo/Cargo.toml", geo),
        ("../geo/src/lib.rs", region),
        ("lib.rs", "pub mod apis;\npub mod client;\n".to_owned()),
        ("apis/mod.rs", apis + &with_derives(types) + others),
    ];
    assert_eq!(
        outline(&files),
        "\
[]
kind GatewayApply(labels annotations finalizers) incomparable
    spec: SpecApply
kind OtherApply(labels annotations finalizers)
struct SpecApply() incomparable
    next: crate::apis::Spec
        Sent whole, with all its required fields: `Spec` contains itself.
    owner: crate::apis::Other
        Sent whole, with all its required fields: `Other` is a kind.
    converted: crate::apis::Converted
        Sent whole, with all its required fields: `Converted` is serialized as another type.
    tagged: crate::apis::Tagged
        Sent whole, with all its required fields: `Tagged` writes a tag.
    region: geo::Region
        Sent whole, with all its required fields: `Region` is a type of another crate.
    level: crate::apis::Level
        Sent whole, with all its required fields: `Level` does not derive `Serialize`.
    hidden: HiddenApply
    range: crate::apis::Range
        Sent whole, with all its required fields: `Range` is serialized as a list.
    bounds: crate::apis::Bounds
        Sent whole, with all its required fields: `Bounds` has a variant that is serialized as a list.
    wrapped: crate::apis::Wrapped
    custom: CustomApply
struct HiddenApply()
    a: i32
union CustomApply
    Written genclient::serde_json::Value
    Bound BoundApply
struct BoundApply()
    a: i32
"
    );
}

#[test]
fn kinds_of_kube_have_configurations() {
    let apis = "\
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(group = \"edge.example.com\", version = \"v1\", kind = \"Task\", namespaced)]
#[kube(status = \"TaskStatus\")]
pub struct TaskSpec { pub image: String }

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskStatus { pub ready: bool }
";
    let lib = "pub mod apis;\npub mod client;\n".to_owned();
    assert_eq!(
        outline(&[("lib.rs", lib), ("apis/mod.rs", apis.to_owned())]),
        "\
[]
kind TaskApply(labels annotations finalizers)
    spec: TaskSpecApply
    status: TaskStatusApply
struct TaskSpecApply()
    image: text
struct TaskStatusApply()
    ready: bool
"
    );
}

#[test]
fn only_kinds_whose_clients_apply_have_configurations() {
    let kind = |name: &str, key: &str| {
        format!(
            "#[genclient({key})]\n#[group = \"edge.example.com\"]\n#[version = \"v1\"]\n\
             pub struct {name} {{ pub metadata: ObjectMeta }}\n"
        )
    };
    let kinds = [
        kind("Applied", "skip_verbs = [\"get\"]"),
        kind("Unapplied", "skip_verbs = [\"apply\"]"),
        kind("Read", "readonly"),
        kind("Silent", "no_verbs"),
        kind("Clientless", "skip_client"),
    ];
    let apis = "use genclient::prelude::*;\n".to_owned() + &kinds.concat();
    let lib = "pub mod apis;\npub mod client;\n".to_owned();
    assert_eq!(
        outline(&[("lib.rs", lib), ("apis/mod.rs", apis)]),
        "[]\nkind AppliedApply(labels annotations finalizers)\n"
    );
}
