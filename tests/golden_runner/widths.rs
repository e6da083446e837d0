//! Check that generated Rust is formatted as by rustfmt for names of every length.

use std::fs;
use std::path::Path;

use genclient_codegen::{Artefact, Project};
use libtest_mimic::Failed;

use crate::case::Settings;
use crate::rustfmt;

/// Maximum length of a name. Beyond it, rustfmt gives up on some lines.
const MAX_LENGTH: usize = 53;

/// Maximum length of a module's name with a kind whose path is spelled in full.
const MAX_MODULE: usize = 44;

/// Checks a kind of each length, in a group of the same length, and kinds of one name in modules of
/// each length.
pub fn check() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let mut text = String::from(
        "use std::collections::BTreeMap;\nuse genclient::prelude::*;\nuse serde_json::Value;\n",
    );
    for length in 1..=MAX_LENGTH {
        text.push_str(&kind(length));
    }
    for length in 1..=MAX_MODULE {
        text.push_str(&conflicting_kind(length));
    }
    fs::write(dir.path().join("apis.rs"), text)?;
    let project = Project {
        apply_configurations: true,
        ..Settings::default().project("widths", dir.path().join("apis"), dir.path())
    };
    let generated = genclient_codegen::generate(&project, &Artefact::ALL.into())
        .map_err(|errors| errors.to_string())?;
    for (path, text) in generated.files.iter() {
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        fs::write(path, text)?;
    }
    rustfmt::check(&dir.path().join("client/mod.rs"))
}

fn kind(length: usize) -> String {
    let (name, group) = (format!("K{}", "i".repeat(length - 1)), "g".repeat(length));
    let scope = if length.is_multiple_of(2) {
        "non_namespaced, "
    } else {
        ""
    };
    format!(
        r#"
#[genclient({scope}method(name = "put", verb = "update", subresource = "{group}", result = "crate::{name}"))]
#[group = "{group}.example.com"]
#[version = "v1beta1"]
#[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
pub struct {name} {{
    pub metadata: ObjectMeta,
    pub spec: S{name},
    #[crd(preserve_unknown_fields, type = "object")]
    pub status: Option<()>,
}}
{}"#,
        types_of_spec(&name, length)
    )
}

/// Returns types with a field of each form, for apply configurations. The names of fields are as
/// long as that of the kind.
fn types_of_spec(kind: &str, length: usize) -> String {
    let field = |first: char| format!("{first}{}", "x".repeat(length - 1));
    let [a, b, c, d, e, f, g, h, i, j] = ('a'..='j')
        .map(field)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    format!(
        r#"
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct S{kind} {{
    #[serde(rename = "r{a}")]
    pub {a}: String,
    pub {b}: Vec<String>,
    pub {c}: BTreeMap<String, String>,
    pub {d}: I{kind},
    #[crd(list_type = "map", list_map_keys = ["{a}", "{b}"])]
    pub {e}: Vec<L{kind}>,
    pub {f}: BTreeMap<String, I{kind}>,
    pub {g}: BTreeMap<String, Vec<I{kind}>>,
    #[serde(flatten)]
    pub {h}: F{kind},
    #[serde(flatten)]
    pub {i}: BTreeMap<String, Value>,
    pub {j}: U{kind},
}}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct I{kind} {{
    pub {a}: String,
    pub {b}: i64,
    #[crd(default = 1)]
    pub {c}: i64,
}}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct L{kind} {{
    #[serde(flatten)]
    pub {d}: I{kind},
}}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct F{kind} {{
    pub k{d}: I{kind},
}}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum U{kind} {{
    {kind}(I{kind}),
    M{kind}(BTreeMap<String, I{kind}>),
    N{kind} {{ {a}: String }},
}}
"#
    )
}

fn conflicting_kind(length: usize) -> String {
    let module = "m".repeat(length);
    format!(
        r#"
pub mod {module} {{
    use genclient::prelude::*;
    #[genclient]
    #[group = "conflict{length}.example.com"]
    #[version = "v1"]
    pub struct Same {{
        pub metadata: ObjectMeta,
        #[crd(preserve_unknown_fields, type = "object")]
        pub spec: (),
    }}
}}
"#
    )
}
