//! Generator output for the shapes.

use std::path::{Path, PathBuf};

use genclient_codegen::{Artefact, ClientModule, Crd, Project};
use serde_json::Value;

/// Returns the CRD of the shapes, as data and as the text of its file.
pub fn crd() -> (Crd, String) {
    let project = project();
    let artefacts = [Artefact::Crd].into();
    let (model, _) =
        genclient_codegen::understand(&project, &artefacts).unwrap_or_else(|mistakes| {
            let mistakes: Vec<_> = mistakes
                .iter()
                .map(|mistake| mistake.message.as_str())
                .collect();
            panic!("{}", mistakes.join("\n"))
        });
    let generated = genclient_codegen::generate(&project, &artefacts).expect("what was understood");
    let file = generated
        .files
        .iter()
        .find(|(path, _)| path.ends_with("oracle.example.com_shapes.yaml"));
    let text = file.expect("a file for the definition").1.to_owned();
    let mut crds = model.crds.into_iter();
    let crd = crds
        .find(|crd| crd.kind == "Shape")
        .expect("the kind of the shapes");
    (crd, text)
}

/// Returns the schema of each shape, by name.
pub fn shapes() -> Value {
    let (crd, _) = crd();
    let schema = serde_json::to_value(&crd.versions[0].schema).expect("a schema is JSON");
    schema["properties"]["spec"]["properties"].clone()
}

pub fn project() -> Project {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let out = source.join("never-written");
    Project {
        name: "oracle".to_owned(),
        working_dir: PathBuf::new(),
        dir: out.clone(),
        apis: source.join("shapes"),
        crate_root: source.join("lib.rs"),
        types: "crate::shapes".to_owned(),
        client: ClientModule {
            dir: out.join("client"),
            root_file: "mod.rs".into(),
            path: "crate::client".to_owned(),
            package: out.clone(),
            in_program: false,
        },
        edition: "2024".to_owned(),
        library: "compiled".into(),
        config: out.join("config"),
        ..Project::default()
    }
}
