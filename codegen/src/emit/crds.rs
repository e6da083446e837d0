//! `crds.rs`: the CRDs as Rust values, read from their YAML.

use std::path::{Component, Path, PathBuf};

use super::Package;
use super::layout::Source;
use super::template::rust;
use super::uses::Uses;
use super::wrap::WIDTH;
use crate::model::{Crd, Model};

/// rustfmt's width of an array on one line.
const ARRAY_WIDTH: usize = 60;

pub(super) fn emit(model: &Model, package: &mut Package<'_>) {
    let mut uses = Uses::new(["DOCUMENTS".to_owned()]);
    let definition = uses.name(
        "genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1",
        "CustomResourceDefinition",
    );
    let documents = documents(&model.crds, package);
    let items = rust!(documents, definition => "
        $documents

        /// Every definition: to install with a client, or to test with.
        pub fn all() -> Vec<$definition> {
            let documents = DOCUMENTS.iter().copied();
            documents.map(genclient::crd::parse).collect()
        }
    ");
    let source = Source {
        docs: &["The custom resource definitions.".to_owned()],
        modules: String::new(),
        uses: &uses,
        items,
    };
    package.rust("crds.rs", &source);
}

fn documents(crds: &[Crd], package: &Package<'_>) -> String {
    let folder = relative(&package.project.client.dir, &package.crd_dir());
    let file = |crd: &Crd| format!("{:?}", folder.join(crd.file_name()).to_string_lossy());
    let include = |crd: &Crd| format!("include_str!({})", file(crd));
    let head = "/// The definitions as YAML, a document each.\nconst DOCUMENTS: &[&str] = &[";
    if crds.iter().all(|crd| crd.cfg.is_none()) {
        let one_line = crds.iter().map(include).collect::<Vec<_>>().join(", ");
        if one_line.len() <= ARRAY_WIDTH {
            return format!("{head}{one_line}];\n");
        }
        if let [only] = crds {
            return format!("{head}include_str!(\n    {}\n)];\n", file(only));
        }
    }
    let mut text = format!("{head}\n");
    for crd in crds {
        if let Some(condition) = &crd.cfg {
            text.push_str(&format!("    #[cfg({condition})]\n"));
        }
        let line = format!("    {},\n", include(crd));
        if line.trim_end().len() <= WIDTH {
            text.push_str(&line);
        } else {
            let file = file(crd);
            text.push_str(&format!("    include_str!(\n        {file}\n    ),\n"));
        }
    }
    text.push_str("];\n");
    text
}

/// `to` as seen from `from`; both are free of `..`.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let from: Vec<_> = from.components().collect();
    let to: Vec<_> = to.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect()
}
