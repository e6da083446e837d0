//! `crds.rs`: the CRDs as Rust values, read from their YAML.

use super::package::{PackageFiles, RustFile};
use super::uses::Uses;
use crate::model::{Crd, Model, WrittenDefinition};
use crate::template::rust;
use crate::yaml::{self, YamlNode};

/// Emits the module. `documents` is the YAML of each generated definition.
pub(super) fn emit(model: &Model, documents: &[String], package: &mut PackageFiles<'_>) {
    let mut uses = Uses::new(["DOCUMENTS".to_owned()]);
    let definition = uses.name(
        "genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1",
        "CustomResourceDefinition",
    );
    let items = rust!(definition => "
        /// Returns every definition, to install or to test with.
        pub fn all() -> Vec<$definition> {
            DOCUMENTS
                .iter()
                .copied()
                .map(genclient::crd::parse)
                .collect()
        }
    ");
    let written: Vec<_> = model.written.iter().map(document).collect();
    let source = RustFile {
        docs: vec!["The custom resource definitions.".to_owned()],
        uses,
        verbatim: constant(&model.crds, documents, &written),
        items,
        ..RustFile::default()
    };
    package.rust("crds.rs", &source);
}

/// The constant with the documents. As in rustfmt, a single document without `#[cfg(…)]` begins on
/// the line of the opening bracket.
///
/// The YAML is a literal instead of an `include_str!`, because the YAML files are outside of the
/// source folder. A build with only the sources, such as in a container image, would not find them.
fn constant(crds: &[Crd], documents: &[String], written: &[String]) -> String {
    let head = "/// The definitions as YAML, a document each.\nconst DOCUMENTS: &[&str] = &[";
    match (crds, documents, written) {
        ([], _, []) => return format!("{head}];\n"),
        ([Crd { cfg: None, .. }], [only], []) | ([], _, [only]) => {
            return format!("{head}{}];\n", raw(only));
        }
        _ => {}
    }
    let mut text = format!("{head}\n");
    for (crd, document) in crds.iter().zip(documents) {
        if let Some(condition) = &crd.cfg {
            text.push_str(&format!("    #[cfg({condition})]\n"));
        }
        text.push_str(&format!("    {},\n", raw(document)));
    }
    for document in written {
        text.push_str(&format!("    {},\n", raw(document)));
    }
    text.push_str("];\n");
    text
}

/// The YAML of a definition that the package's own program writes.
fn document(definition: &WrittenDefinition) -> String {
    yaml::text(&YamlNode::from(&definition.document))
}

fn raw(text: &str) -> String {
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}
