//! Kinds of the golden cases' CRDs.

use std::fs;
use std::path::Path;

use compiled::Rewrite;
use serde_json::{Value, json};

/// The name of every object.
pub const NAME: &str = "value";

/// The expected CRD of a golden case.
#[derive(Clone)]
pub struct Definition {
    /// The name of the case.
    pub case: &'static str,
    /// The text of its file.
    pub text: String,
    /// The CRD as JSON.
    pub value: Value,
}

/// A version of a CRD.
#[derive(Clone)]
pub struct Kind {
    pub case: &'static str,
    pub group: String,
    pub version: String,
    pub kind: String,
    pub served: bool,
    pub storage: bool,
    /// Whether there is a status subresource.
    pub status: bool,
    pub schema: Value,
    /// Deserializes an object as the type of this kind, and serializes it again.
    pub rewrite: Rewrite,
}

impl Kind {
    /// Returns `case::Kind/v1`.
    pub fn name(&self) -> String {
        format!("{}::{}/{}", self.case, self.kind, self.version)
    }
}

impl Definition {
    /// Returns the name of the CRD, which is unique on a server.
    pub fn name(&self) -> &str {
        self.value["metadata"]["name"].as_str().unwrap_or_default()
    }

    pub fn kinds(&self) -> Vec<Kind> {
        let spec = &self.value["spec"];
        let versions = spec["versions"].as_array().into_iter().flatten();
        versions.map(|version| self.kind(version)).collect()
    }

    fn kind(&self, version: &Value) -> Kind {
        let spec = &self.value["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, kind) = (text(&spec["group"]), text(&spec["names"]["kind"]));
        let name = text(&version["name"]);
        let api_version = format!("{group}/{name}");
        let mut compiled = compiled::KINDS.iter();
        let (.., rewrite) = compiled
            .find(|found| (found.0, found.1, found.2) == (self.case, &api_version, &kind))
            .unwrap_or_else(|| panic!("{} has no {kind} of {api_version}", self.case));
        Kind {
            case: self.case,
            version: name,
            served: version["served"] == true,
            storage: version["storage"] == true,
            status: version["subresources"].get("status").is_some(),
            schema: named(&version["schema"]["openAPIV3Schema"], &api_version, &kind),
            rewrite: *rewrite,
            group,
            kind,
        }
    }
}

/// Returns the schema with required `apiVersion`, `kind` and `metadata`.
fn named(schema: &Value, api_version: &str, kind: &str) -> Value {
    let mut schema = schema.clone();
    schema["properties"]["apiVersion"] = json!({ "enum": [api_version] });
    schema["properties"]["kind"] = json!({ "enum": [kind] });
    schema["properties"]["metadata"] = json!({ "enum": [{ "name": NAME }] });
    schema["required"] = match schema["required"].take() {
        Value::Array(required) => {
            let more = ["apiVersion", "kind", "metadata"].map(Value::from);
            required.into_iter().chain(more).collect()
        }
        _ => json!(["apiVersion", "kind", "metadata"]),
    };
    schema
}

/// Returns the CRDs of all cases: `golden/<group>/<case>/expected/config/crd/*.yaml`.
pub fn definitions() -> Vec<Definition> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let mut cases: Vec<_> = compiled::KINDS.iter().map(|kind| kind.0).collect();
    cases.dedup();
    let mut definitions = Vec::new();
    for case in cases {
        let folder = golden.join(case).join("expected/config/crd");
        let entries = fs::read_dir(&folder).expect("a case with kinds has definitions");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("a file that is listed").path())
            .collect();
        files.sort();
        for file in files {
            let text = fs::read_to_string(file).expect("a file that is listed");
            let value = serde_saphyr::from_str(&text).expect("a definition is YAML");
            definitions.push(Definition { case, text, value });
        }
    }
    definitions
}
