//! Schemas of kinds with kube's derive: defaults, features, and derives of other crates.

use super::package;

/// A default that only the running program knows is left out of the CRD, with a warning.
#[test]
fn defaults_computed_at_run_time_are_left_out() {
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
        "warning: the default that serde fills in is known only at run time: the CRD has no default",
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
fn serde_functions_cause_a_warning() {
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
        "warning: the CRD has the type of the field, regardless of `null_as_default`",
        "if the function reads or writes another type, name that type: `#[schemars(with = \"..\")]`",
    ]);
}

/// A CRD is the same in every build: the features that are on by default decide.
#[test]
fn default_features_decide_which_fields_exist() {
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
        "warning: the CRD is generated for the default features",
        "remove this `cfg` if every build has the field or variant",
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

/// Types of Kubernetes have the fields and quantities of the package's version of k8s-openapi.
#[test]
fn kubernetes_types_follow_the_k8s_openapi_version() {
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
        .says(&["error: expected a literal, found `\"MOST\"`"]);
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
        .says(&["cannot determine the schema of `Rate`: it does not derive `Serialize`"]);
}

/// kube's schemas of such enums are refused by the API server.
#[test]
fn schemas_of_mixed_enums_are_open() {
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

/// A flattened map beside fields is open, as kube derives it, with a warning.
#[test]
fn schemas_of_flattened_maps_are_open() {
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
        "warning: values of the flattened map are not validated: a structural schema cannot combine a map with named fields",
        "give the map a field of its own to validate its values",
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
