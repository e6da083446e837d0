//! Tests of packages with kube's derive: generation, defaults, features, stated kinds and
//! `--keep-going`.

use super::package::Package;

/// Returns a crate with a kind of kube's derive and without a folder of API types.
fn package(root: &str) -> Package {
    let package = Package::empty();
    package.write(
        "Cargo.toml",
        "[package]\nname = \"tasks\"\n\n[dependencies]\nkube = \"5\"\ngenclient = \"0.1\"\n",
    );
    package.write(root, "pub mod client;\nmod inner;\npub use inner::crd;\n");
    package.write("src/inner/mod.rs", "pub mod crd;\n");
    package.write(
        "src/inner/crd.rs",
        "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    pub image: String,
}
",
    );
    package
}

#[test]
fn the_whole_crate_is_read() {
    for root in ["src/lib.rs", "src/main.rs"] {
        let package = package(root);
        package.run(&["update"]).expect(0);
        assert!(package.exists("config/crd/tasks.example.com_tasks.yaml"));
        let client = package.read("src/client/clientset/tasks/v1/task.rs");
        assert!(client.contains("use crate::crd::Task;"), "{client}");
        package.run(&["verify"]).expect(0);
    }
}

/// Private modules of the crate's root are visible in the whole crate.
#[test]
fn private_modules_of_the_root_are_reached() {
    for root in ["src/lib.rs", "src/main.rs"] {
        let package = package(root);
        package.write(root, "mod client;\nmod inner;\n");
        package.run(&["update"]).expect(0);
        let client = package.read("src/client/clientset/tasks/v1/task.rs");
        assert!(client.contains("use crate::inner::crd::Task;"), "{client}");
        package.write("src/inner/mod.rs", "mod crd;\n");
        package.run(&["update"]).expect(2).says(&[
            "generated code cannot reach `Task`: a module above it is private",
            "the private module",
        ]);
    }
}

#[test]
fn a_crate_without_kube_types_has_no_api_types() {
    let package = package("src/lib.rs");
    package.write("src/inner/crd.rs", "pub struct TaskSpec;\n");
    package
        .run(&["update"])
        .expect(2)
        .says(&["no package with API types"]);
}

/// In a program, rustc warns of unused functions, which most functions of a client are.
#[test]
fn clients_of_a_program_may_stay_unused() {
    let lints = "#![allow(dead_code, unused_imports, reason = \"a program uses some clients\")]\n";
    for (root, expected) in [("src/lib.rs", false), ("src/main.rs", true)] {
        let package = package(root);
        package.run(&["update"]).expect(0);
        let client = package.read("src/client/mod.rs");
        assert_eq!(client.contains(lints), expected, "{client}");
    }
}

/// A default that only the running program knows is left out of the CRD, with a warning.
#[test]
fn defaults_that_only_the_program_knows_are_left_out() {
    let package = package("src/lib.rs");
    package.write(
        "src/inner/crd.rs",
        "use smart_default::SmartDefault;
#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    #[serde(default = \"image\")]
    pub image: Option<String>,
    #[serde(default)]
    pub server: Server,
}
fn image() -> Option<String> { std::env::var(\"IMAGE\").ok() }
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, SmartDefault)]
pub struct Server {
    #[default = 80]
    pub port: u16,
    #[default(\"www\".to_owned())]
    pub host: String,
    pub tls: bool,
}
",
    );
    package.run(&["update"]).expect(0).says(&[
        "warning: the value that serde fills in here is known only to the program: the CRD has no default",
        "to have one, write `#[schemars(extend(\"default\" = ..))]`; or derive `CrdSchema` as well, and write `#[crd(default = ..)]` or `#[crd(no_default)]`",
    ]);
    let manifest = package.read("Cargo.toml");
    package.write("Cargo.toml", format!("{manifest}schemars = \"0.8\"\n"));
    package.run(&["update"]).expect(0).says(&[
        "to have one, derive `CrdSchema` as well, and write `#[crd(default = ..)]` or `#[crd(no_default)]`",
    ]);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    assert!(!crd.contains("required:\n            - image"), "{crd}");
    let default = "default:\n                  host: www\n                  port: 80\n                  tls: false\n";
    assert!(crd.contains(default), "{crd}");
}

/// schemars derives the schema from the field's type, whatever function serde reads it with.
#[test]
fn functions_of_serde_are_a_warning() {
    let package = package("src/lib.rs");
    package.write(
        "src/inner/crd.rs",
        "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    #[serde(default, deserialize_with = \"null_as_default\")]
    pub image: String,
}
",
    );
    package.run(&["update"]).expect(0).says(&[
        "warning: the CRD has its own type, whatever `null_as_default` makes of it",
        "if it reads or writes something else, name that type: `#[schemars(with = \"..\")]`",
    ]);
}

/// A CRD is the same in every build: the features that are on by default decide.
#[test]
fn default_features_decide_about_members() {
    let package = package("src/lib.rs");
    let manifest = package.read("Cargo.toml");
    package.write(
        "Cargo.toml",
        format!("{manifest}\n[features]\ndefault = [\"more\"]\nmore = [\"extra\"]\nextra = []\noff = []\n"),
    );
    package.write(
        "src/inner/crd.rs",
        "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    #[cfg(feature = \"extra\")]
    pub extra: Option<bool>,
    #[cfg(feature = \"off\")]
    pub off: Option<bool>,
    pub mode: Mode,
}
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub enum Mode {
    Usual,
    #[cfg(feature = \"off\")]
    Rare,
}
",
    );
    package.run(&["update"]).expect(0).says(&[
        "warning: the CRD is that of the default features",
        "remove the `cfg` if every build has it",
    ]);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    assert!(crd.contains("extra:") && crd.contains("- Usual"), "{crd}");
    assert!(!crd.contains("\"off\":") && !crd.contains("Rare"), "{crd}");

    // A kind behind a feature has the fields of that feature.
    package.write(
        "src/inner/mod.rs",
        "#[cfg(feature = \"off\")]\npub mod crd;\n",
    );
    package.run(&["update"]).expect(0);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    assert!(crd.contains("\"off\":") && crd.contains("- Rare"), "{crd}");
}

/// Body of a function that returns a schema, and the schema; `None` if the body is not supported.
const BODIES: [(&str, Option<&str>); 35] = [
    ("String::json_schema(g)", Some("type: string")),
    ("let s = helper(g); s", Some("type: integer")),
    ("helper(&mut other())", None),
    ("g.settings(); String::json_schema(g)", None),
    (
        "if true { String::json_schema(g) } else { u8::json_schema(g) }",
        None,
    ),
    ("around(g)", None),
    (
        "let mut s = String::json_schema(g); s.insert(\"maxLength\".into(), twice(3).into()); s",
        None,
    ),
    (
        "let mut s = String::json_schema(g); s.insert(\"maxLength\".into(), MOST.into()); s",
        Some("maxLength: 7\n                type: string"),
    ),
    (
        "let mut s = String::json_schema(g); s.insert(\"pattern\".into(), Level::High.into()); s",
        None,
    ),
    (
        "let mut s = String::json_schema(g); s.remove(\"type\"); s.insert(\"type\".into(), \"integer\".into()); s",
        Some("type: integer"),
    ),
    (
        "let mut s = String::json_schema(g); change(&mut s); s",
        None,
    ),
    // A nested part is changed in place.
    (
        "let mut s = json_schema!({ \"type\": \"object\", \"properties\": {} }); s.get_mut(\"properties\").unwrap().as_object_mut().unwrap().insert(\"a\".into(), json!({ \"type\": \"string\" })); s",
        Some(
            "properties:\n                  a:\n                    type: string\n                type: object",
        ),
    ),
    (
        "let mut s = json_schema!({}); let o = s.ensure_object(); o.insert(\"type\".into(), json!(\"string\")); s",
        Some("type: string"),
    ),
    (
        "let mut s = json_schema!({}); let o = s.clone(); o.insert(\"type\".into(), json!(\"integer\")); s.insert(\"type\".into(), \"string\".into()); s",
        Some("type: string"),
    ),
    (
        "let mut s = json_schema!({}); if let Some(o) = s.as_object_mut() { o.insert(\"type\".into(), \"string\".into()); } s",
        Some("type: string"),
    ),
    (
        "let mut s = json_schema!({}); if let Some(o) = s.as_object_mut() { o.clear(); } s",
        None,
    ),
    (
        "let mut s = Level::json_schema(g); s.get_mut(\"oneOf\").unwrap().as_array_mut().unwrap(); s",
        None,
    ),
    // A name that the body redefines is not looked up outside of the body.
    ("use std::u8 as Level; Level::json_schema(g)", None),
    (
        "const MOST: u8 = 3; json_schema!({ \"type\": \"string\", \"maxLength\": MOST })",
        None,
    ),
    (
        "json_schema!({ \"type\": [\"string\", \"null\"], \"const\": \"a\", \"x-other\": MOST })",
        Some(
            "enum:\n                - a\n                nullable: true\n                type: string",
        ),
    ),
    (
        "json_schema!({ \"type\": \"integer\", \"format\": \"uint8\" })",
        Some(
            "format: int32\n                maximum: 255\n                minimum: 0\n                type: integer",
        ),
    ),
    (
        "json_schema!({ \"properties\": { \"a\": { \"type\": \"string\" } }, \"additionalProperties\": false, \"oneOf\": [{ \"required\": [\"a\"] }] })",
        Some(
            "oneOf:\n                - required:\n                  - a\n                properties:\n                  a:\n                    type: string\n                type: object",
        ),
    ),
    ("json_schema!({ \"$ref\": \"#/definitions/Level\" })", None),
    (
        "json_schema!({ \"type\": [\"string\", \"integer\"] })",
        None,
    ),
    (
        "let mut s: SchemaObject = Level::json_schema(g).into(); s.extensions.insert(\"x-kubernetes-validations\".to_owned(), serde_json::from_str(r#\"[{\"rule\": \"self == oldSelf\"}]\"#).unwrap()); s.into()",
        Some(
            "type: string\n                x-kubernetes-validations:\n                - rule: self == oldSelf",
        ),
    ),
    (
        "let mut s = SchemaObject { instance_type: Some(InstanceType::Object.into()), ..Default::default() }; s.object().properties.insert(\"a\".to_owned(), String::json_schema(g)); s.object().required.insert(\"a\".to_owned()); s.metadata().read_only = false; s.metadata().title = Some(\"A\".to_owned()); s.into()",
        Some(
            "properties:\n                  a:\n                    type: string\n                required:\n                - a\n                title: A\n                type: object",
        ),
    ),
    (
        "let g = SchemaSettings::openapi3().with(|s| { s.inline_subschemas = true; }).with_visitor(Other).into_generator(); g.into_root_schema_for::<Level>().schema.into()",
        None,
    ),
    // A part under a `cfg` does not belong to the schema of every build.
    ("twofold(g)", None),
    (
        "let mut s = String::json_schema(g); #[cfg(windows)] s.insert(\"maxLength\".into(), 3.into()); s",
        None,
    ),
    (
        "#[allow(unused_mut)] let mut s = String::json_schema(g); s",
        Some("type: string"),
    ),
    ("SchemaObject { ..default() }.into()", None),
    (
        "json_schema!({ \"type\": \"string\", \"enum\": vec![\"a\", #[cfg(windows)] \"b\"] })",
        None,
    ),
    // No structural schema has several types, nor alternatives that cannot be told apart.
    (
        "json_schema!({ \"anyOf\": [{ \"type\": \"object\", \"properties\": { \"a\": { \"type\": \"string\" } }, \"required\": [\"a\"] }, { \"required\": [\"b\"] }] })",
        None,
    ),
    (
        "json_schema!({ \"oneOf\": [{ \"type\": \"object\", \"properties\": { \"a\": { \"type\": \"string\" } } }, { \"type\": \"object\", \"properties\": { \"b\": { \"type\": \"string\" } }, \"required\": [\"b\"] }] })",
        Some(
            "properties:\n                  a:\n                    type: string\n                  b:\n                    type: string\n                type: object",
        ),
    ),
    (
        "json_schema!({ \"oneOf\": [{ \"type\": \"string\" }, { \"type\": \"integer\" }] })",
        Some("x-kubernetes-preserve-unknown-fields: true"),
    ),
];

/// A function with an unsupported part is rejected as a whole.
#[test]
fn functions_are_read_whole_or_not_at_all() {
    for (body, expected) in BODIES {
        let package = package("src/lib.rs");
        package.write(
            "src/inner/crd.rs",
            format!(
                "use schemars::{{JsonSchema, Schema, SchemaGenerator}};
#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {{
    #[schemars(schema_with = \"Task::made\")]
    pub field: serde_json::Value,
}}
impl Task {{
    fn made(g: &mut SchemaGenerator) -> Schema {{ {body} }}
}}
const MOST: u8 = 7;
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub enum Level {{ High, Low }}
fn helper(_: &mut SchemaGenerator) -> Schema {{ json_schema!({{ \"type\": \"integer\" }}) }}
fn around(g: &mut SchemaGenerator) -> Schema {{ around(g) }}
fn twice(number: i32) -> i32 {{ number * 2 }}
fn default() -> SchemaObject {{ String::json_schema(&mut SchemaGenerator::default()).into() }}
#[cfg(unix)]
fn twofold(g: &mut SchemaGenerator) -> Schema {{ String::json_schema(g) }}
#[cfg(windows)]
fn twofold(g: &mut SchemaGenerator) -> Schema {{ u8::json_schema(g) }}
"
            ),
        );
        let Some(expected) = expected else {
            package.run(&["update"]).expect(2).says(&[
                "what `Task::made` makes of the schema is known only when the program runs",
            ]);
            continue;
        };
        package.run(&["update"]).expect(0);
        let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
        assert!(crd.contains(expected), "{body}: {crd}");
    }
}

/// Manifests do not name Rust types.
#[test]
fn crds_of_private_kinds_are_written() {
    let package = package("src/lib.rs");
    package.write("src/lib.rs", "mod inner;\n");
    package.write("src/inner/mod.rs", "mod crd;\n");
    package.run(&["update", "--only", "crd"]).expect(0);
    assert!(package.exists("config/crd/tasks.example.com_tasks.yaml"));
    package.run(&["update"]).expect(2);
}

/// Kinds that are left out lose their generated files, except files in `config`.
#[test]
fn kinds_with_errors_are_left_out() {
    let package = package("src/lib.rs");
    let kind = |name: &str, field: &str| {
        format!(
            "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"{name}\")]
pub struct {name}Spec {{
    pub field: {field},
}}
"
        )
    };
    let write = |field| {
        let kinds = [kind("Task", "String"), kind("Job", field)];
        package.write("src/inner/crd.rs", kinds.concat());
    };
    write("u8");
    package.run(&["update"]).expect(0);
    let before = package.read("config/crd/tasks.example.com_jobs.yaml");
    write("(u8, u8)");
    package.run(&["update"]).expect(2).says(&[
        "nothing written: 1 error in 1 of 2 kinds",
        "1 of 2 kinds is fine; `genclient update --keep-going` writes it",
    ]);
    assert!(package.exists("src/client/clientset/tasks/v1/job.rs"));
    // Files in `config` may belong to kinds with errors, so they stay.
    let role = "# Code generated by genclient. DO NOT EDIT.\n";
    package.write("config/rbac/role.yaml", role);
    package
        .run(&["update", "--keep-going"])
        .expect(2)
        .says(&["left out: Job (tasks.example.com)"]);
    assert!(package.exists("config/rbac/role.yaml"));
    assert!(!package.exists("src/client/clientset/tasks/v1/job.rs"));
    let after = package.read("config/crd/tasks.example.com_jobs.yaml");
    assert_eq!(before, after);
    let verified = package.run(&["verify", "--keep-going"]).expect(2);
    assert_eq!(verified.stdout, "");
    let manifest = package.read("Cargo.toml");
    let skip = "\n[package.metadata.genclient]\nskip = [\"Job\"]\n";
    package.write("Cargo.toml", &(manifest + skip));
    package
        .run(&["update"])
        .expect(0)
        .says(&["0 written, 2 removed"]);
    assert!(!package.exists("config/crd/tasks.example.com_jobs.yaml"));
}

/// Clients that cannot be compiled are not written, but CRDs are.
#[test]
fn clients_need_their_versions() {
    let lock = |own: &str| {
        format!(
            "[[package]]\nname = \"tasks\"\nversion = \"0.1.0\"\ndependencies = [\"{own}\"]\n\
             [[package]]\nname = \"kube\"\nversion = \"1.1.0\"\n\
             [[package]]\nname = \"kube\"\nversion = \"5.0.0\"\n"
        )
    };
    let genclient = format!(
        "add `genclient = \"{}\"` to `[dependencies]` in Cargo.toml",
        env!("CARGO_PKG_VERSION")
    );
    let crds = "help: write CRDs alone: `genclient update --only crd`; or ";
    let upgrade = format!("{crds}upgrade to `kube = \"5\"` and `k8s-openapi = \"0.29\"`");
    let add = format!("{crds}{genclient}");
    let both = format!("{upgrade}, and {genclient}");
    let (kube, missing) = (
        "error: clients are for kube 5, and `tasks` has kube ",
        "error: clients need the crate `genclient`, which is not a dependency in Cargo.toml",
    );
    for (dependencies, lock, error, help) in [
        ("kube = \"5\"", None, missing, &add),
        ("kube = \"1.1\"", None, &*format!("{kube}1.1\n"), &both),
        (
            "kube-core = \"=0.99.0\"\ngenclient = \"0.1\"",
            None,
            &*format!("{kube}0.99.0\n"),
            &upgrade,
        ),
        (
            "kube = { git = \"..\" }",
            Some(lock("kube 1.1.0")),
            &*format!("{kube}1.1.0\n"),
            &both,
        ),
        (
            "kube = { git = \"..\" }",
            Some(lock("kube 5.0.0")),
            missing,
            &add,
        ),
    ] {
        let package = package("src/lib.rs");
        package.write(
            "Cargo.toml",
            format!("[package]\nname = \"tasks\"\n\n[dependencies]\n{dependencies}\n"),
        );
        if let Some(lock) = lock {
            package.write("Cargo.lock", lock);
        }
        package.run(&["update"]).expect(2).says(&[error, help]);
        assert!(!package.exists("src/client") && !package.exists("config"));
        package.run(&["update", "--only", "crd"]).expect(0);
        package.edit(
            "src/inner/crd.rs",
            "#[kube",
            "#[genclient(skip_client)]\n#[kube",
        );
        package.run(&["update"]).expect(0);
    }
}

/// Types of Kubernetes have the fields and quantities of the package's version of k8s-openapi.
#[test]
fn types_of_kubernetes_are_those_of_the_package() {
    let package = package("src/lib.rs");
    package.write(
        "src/inner/crd.rs",
        "use k8s_openapi::{api::core::v1::EnvVar, apimachinery::pkg::api::resource::Quantity};
#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    pub storage: Quantity,
    pub env: Vec<EnvVar>,
}
",
    );
    let manifest = package.read("Cargo.toml");
    let locked =
        |version: &str| format!("[[package]]\nname = \"k8s-openapi\"\nversion = \"{version}\"\n");
    for (dependency, lock, has_files, has_numbers) in [
        ("", "", true, true),
        (
            "k8s-openapi = { version = \"0.29\", features = [\"v1_33\"] }",
            "",
            false,
            true,
        ),
        (
            "k8s-openapi = { version = \"0.26\", features = [\"latest\"] }",
            "",
            true,
            true,
        ),
        (
            "k8s-openapi = { version = \"0.26\", features = [\"earliest\"] }",
            &locked("0.26.0"),
            false,
            false,
        ),
        ("k8s-openapi = \"0.25\"", "", false, false),
        (
            "k8s-openapi = \"0.29\"\n[dev-dependencies.k8s-openapi]\nversion = \"0.29\"\nfeatures = [\"v1_33\"]",
            "",
            false,
            true,
        ),
        ("", &locked("0.25.0"), false, false),
    ] {
        package.write("Cargo.toml", format!("{manifest}{dependency}\n"));
        package.write("Cargo.lock", lock);
        package.run(&["update", "--only", "crd"]).expect(0);
        let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
        assert_eq!(crd.contains("fileKeyRef:"), has_files, "{dependency}");
        let (_, storage) = crd.split_once("storage:\n").unwrap();
        let is_number = storage.contains("x-kubernetes-int-or-string: true");
        assert_eq!(is_number, has_numbers, "{dependency}: {storage}");
    }
}

/// Older crates quote the static with the regular expression.
#[test]
fn constants_of_older_crates_are_read() {
    let package = package("src/lib.rs");
    package.write(
        "src/inner/crd.rs",
        "use once_cell::sync::Lazy;
#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema, Validate)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    #[validate(regex = \"IMAGE\")]
    pub image: String,
    #[validate(regex(path = \"super::names::NAME\"), length(max = \"MOST\"))]
    pub name: String,
    #[validate(regex(path = *CODE))]
    pub code: String,
    #[validate(regex(path = word()))]
    pub word: String,
}
const MOST: u64 = if true { 3 } else { 4 };
static CODE: Lazy<Regex> = Lazy::new(|| Regex::new(r\"^c\").unwrap());
lazy_static! {
    static ref IMAGE: Regex = Regex::new(concat!(r\"^\", \"i\")).expect(\"an expression\");
}
fn word() -> &'static Regex {
    static WORD: OnceLock<Regex> = OnceLock::new();
    WORD.get_or_init(|| Regex::new(\"^w\").unwrap())
}
",
    );
    package.write(
        "src/inner/mod.rs",
        "pub mod crd;\nmod names { lazy_static::lazy_static! { pub static ref NAME: Regex = Regex::new(\"^n\").unwrap(); } }\n",
    );
    package
        .run(&["update"])
        .expect(2)
        .says(&["error: what `\"MOST\"` is cannot be seen from here"]);
    let crd = package.read("src/inner/crd.rs");
    package.write(
        "src/inner/crd.rs",
        crd.replace("if true { 3 } else { 4 }", "3 << 1"),
    );
    package.run(&["update"]).expect(0);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    for written in ["^i", "^n", "^c", "^w"] {
        assert!(crd.contains(&format!("pattern: {written}\n")), "{crd}");
    }
    assert!(crd.contains("maxLength: 6\n"), "{crd}");
}

/// serde_repr writes numbers, serde_with strings.
#[test]
fn derives_of_other_crates_are_known() {
    let package = package("src/lib.rs");
    let types = "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    pub version: Version,
    pub rate: Rate,
}
#[derive(SerializeDisplay, DeserializeFromStr, JsonSchema, Clone, Debug)]
pub enum Version { V7, V8 }
const SLOW: i8 = 2;
/// How fast it is.
#[derive(Serialize_repr, Deserialize_repr, JsonSchema_repr, Clone, Debug)]
#[repr(i8)]
pub enum Rate { Off = -1, On, Slow = SLOW, Fast }
";
    package.write("src/inner/crd.rs", types);
    package.run(&["update"]).expect(0);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    for written in [
        "version:\n                type: string\n",
        "description: How fast it is.\n                enum:\n                - -1\n                - 0\n                - 2\n                - 3\n",
        "type: integer\n",
    ] {
        assert!(crd.contains(written), "{crd}");
    }
    let renamed = types.replace(
        "Serialize_repr, Deserialize_repr",
        "SerializeRepr, DeserializeRepr",
    ) + "use serde_repr::{Deserialize_repr as DeserializeRepr, Serialize_repr as SerializeRepr};";
    package.write("src/inner/crd.rs", renamed);
    package.run(&["update"]).expect(0);
    assert_eq!(package.read("config/crd/tasks.example.com_tasks.yaml"), crd);
    package.write("src/inner/crd.rs", types.replace("= SLOW", "= slow!()"));
    package
        .run(&["update"])
        .expect(2)
        .says(&["`Rate` does not derive `Serialize`, so how it is written cannot be seen"]);
}

/// A macro generates the type, and Cargo.toml describes the kind.
#[test]
fn kinds_in_the_manifest_have_clients() {
    let package = package("src/lib.rs");
    let manifest = package.read("Cargo.toml");
    package.write("src/inner/crd.rs", "kinds! { Task, Job, Node }\n");
    package.write(
        "Cargo.toml",
        format!(
            "{manifest}
[[package.metadata.genclient.kinds]]
type = \"crate::crd::Task\"
crd = \"config/crd/tasks.yaml\"

[[package.metadata.genclient.kinds]]
type = \"crate::crd::Node\"
group = \"tasks.example.com\"
version = \"v1\"
kind = \"Node\"
plural = \"nodes\"
scope = \"Cluster\"
"
        ),
    );
    let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: tasks.tasks.example.com
spec:
  group: tasks.example.com
  names:
    kind: Task
    plural: tasks
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
    schema:
      openAPIV3Schema:
        type: object
";
    // A stated definition is an input and stays, even if genclient generated it once.
    let definition = &format!("# Code generated by genclient. DO NOT EDIT.\n{definition}");
    package.write("config/crd/tasks.yaml", definition);
    package.run(&["update"]).expect(0);
    let client = package.read("src/client/clientset/tasks/v1/task.rs");
    assert!(client.contains("use crate::crd::Task;"), "{client}");
    assert!(client.contains("fn update_status"), "{client}");
    let client = package.read("src/client/clientset/tasks/v1/node.rs");
    assert!(client.contains("TypedClient::cluster(client)"), "{client}");
    assert!(!client.contains("_status"), "{client}");
    assert!(package.exists("src/client/informers/tasks/v1/task.rs"));
    assert!(package.exists("src/client/listers/tasks/v1/node.rs"));
    let scheme = package.read("src/client/scheme.rs");
    assert!(scheme.contains("use crate::crd::{Node, Task};"), "{scheme}");
    let crds = package.read("src/client/crds.rs");
    assert!(crds.contains("name: tasks.tasks.example.com"), "{crds}");
    assert_eq!(package.read("config/crd/tasks.yaml"), *definition);
    package.run(&["diff", "config/crd"]).expect(0);
    assert!(!package.exists("config/crd/tasks.example.com_tasks.yaml"));
    package.run(&["verify"]).expect(0);
}

/// kube's schemas of such enums are refused by the API server.
#[test]
fn values_of_several_types_are_open() {
    let package = package("src/lib.rs");
    package.write(
        "src/inner/crd.rs",
        "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    pub target: Target,
    pub network: Network,
}
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Target { Known(Pod), Unknown(String) }
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Pod { pub pod: String }
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub enum Network { Main, Custom(Pod) }
",
    );
    package.run(&["update"]).expect(0);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    let open = crd.matches("x-kubernetes-preserve-unknown-fields: true");
    assert_eq!(open.count(), 2, "{crd}");
}

/// A build may generate the file later, with the kinds of the earlier run.
#[test]
fn nothing_is_stale_while_a_module_is_missing() {
    let package = package("src/lib.rs");
    package.write(
        "src/lib.rs",
        "pub mod client;\npub mod built;\npub mod inner;\n",
    );
    let kind = package.read("src/inner/crd.rs").replace("Task", "Job");
    package.write("src/built.rs", kind);
    package.run(&["update"]).expect(0);
    std::fs::remove_file(package.path("src/built.rs")).unwrap();
    package.run(&["update"]).expect(0).says(&[
        "warning: no file for the module `built`; no kinds are seen in the module, and stale files stay",
        " 0 removed",
    ]);
    assert!(package.exists("config/crd/tasks.example.com_jobs.yaml"));
    assert!(package.exists("src/client/clientset/tasks/v1/job.rs"));
    package.write("src/lib.rs", "pub mod client;\npub mod inner;\n");
    package.run(&["update"]).expect(0);
    assert!(!package.exists("config/crd/tasks.example.com_jobs.yaml"));
    assert!(!package.exists("src/client/clientset/tasks/v1/job.rs"));
}

/// A flattened map beside fields is open, as kube derives it, with a warning.
#[test]
fn maps_beside_fields_are_open() {
    let package = package("src/lib.rs");
    package.write(
        "src/inner/crd.rs",
        "#[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = \"tasks.example.com\", version = \"v1\", kind = \"Task\")]
pub struct TaskSpec {
    pub size: u128,
    #[serde(flatten)]
    pub others: std::collections::BTreeMap<String, i32>,
}
",
    );
    let any = package
        .read("src/inner/crd.rs")
        .replace("i32>", "serde_json::Value>");
    package.run(&["update"]).expect(0).says(&[
        "warning: what the flattened map holds is kept as it is: a structural schema has named fields or a map",
        "give the map a field of its own to have its values checked",
    ]);
    let crd = package.read("config/crd/tasks.example.com_tasks.yaml");
    let size = "size:\n                format: int64\n                minimum: 0\n                type: integer\n";
    assert!(crd.contains(size), "{crd}");
    assert!(
        crd.contains("type: object\n            x-kubernetes-preserve-unknown-fields: true"),
        "{crd}"
    );
    // A map of any JSON values would not be checked in a field of its own, either.
    package.write("src/inner/crd.rs", any);
    let said = package.run(&["update"]).expect(0).stderr;
    assert!(!said.contains("flattened map"), "{said}");
    assert_eq!(package.read("config/crd/tasks.example.com_tasks.yaml"), crd);
}
