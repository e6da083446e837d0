//! Root file of the client module: its documentation, its submodules, and the check of the contract
//! number; and `crds.rs`: the CRDs as Rust values, read from their YAML.

use std::collections::BTreeSet;

use super::conversion;
use super::kind_paths;
use super::package::{PackageFiles, RustFile};
use super::uses::Uses;
use crate::model::{Artefact, Crd, ExternalDefinition, Model};
use crate::project::Project;
use crate::template::rust;
use crate::yaml::{self, YamlNode};

/// The contract number: the version of the interface of generated code with the runtime. It changes
/// only if generated code must change.
const CONTRACT: u32 = 2;

pub(super) fn emit(model: &Model, chosen: &BTreeSet<Artefact>, package: &mut PackageFiles<'_>) {
    let present = &package.project.present;
    let mut modules: Vec<_> = Artefact::ALL
        .into_iter()
        .filter(|artefact| {
            if chosen.contains(artefact) {
                match artefact {
                    Artefact::ApplyConfiguration => !model.apply.is_empty(),
                    Artefact::Conversion => conversion::is_needed(model),
                    _ => true,
                }
            } else {
                present.contains(artefact)
            }
        })
        .map(Artefact::module)
        .filter(|module| !module.is_empty())
        .collect();
    let docs = client_docs(model, &modules);
    modules.sort_unstable();
    let source = RustFile {
        docs,
        modules: lint_attributes(package.project).to_owned() + &declare_modules(&modules),
        items: format!("const _: () = genclient::assert_contract({CONTRACT});\n"),
        ..RustFile::default()
    };
    let file = package.project.client.root_file.clone();
    package.rust(&file, &source);
}

/// The declarations of the modules. rustc resolves imports in the order of modules, so a type that
/// is gone is reported for `kinds` alone only if that comes first.
fn declare_modules(modules: &[&str]) -> String {
    let private = kind_paths::MODULE;
    let public: String = modules
        .iter()
        .map(|module| format!("pub mod {module};\n"))
        .collect();
    format!(
        "// First: rustc then reports a type that is gone there alone.\nmod {private};\n\n{public}"
    )
}

/// The `allow` attribute for the client of a program; empty for a library. rustc reports unused
/// public items in programs, and a program uses only some of the clients. It is no `expect`: a
/// program may use all of them.
fn lint_attributes(project: &Project) -> &'static str {
    if project.client.in_program {
        "#![allow(dead_code, unused_imports, reason = \"a program uses some clients\")]\n\n"
    } else {
        ""
    }
}

/// The documentation of the client module with these submodules.
fn client_docs(model: &Model, modules: &[&str]) -> Vec<String> {
    let groups: Vec<_> = model
        .groups
        .iter()
        .map(|group| match group.name.as_str() {
            "" => "the core group".to_owned(),
            name => format!("`{name}`"),
        })
        .collect();
    let groups = groups.join(", ");
    let has = |module: &str| modules.contains(&module);
    let parts = [
        ("clientset", "clients"),
        ("listers", "listers"),
        ("informers", "informers"),
    ];
    let present: Vec<_> = parts
        .into_iter()
        .filter(|(module, _)| has(module))
        .map(|(_, part)| part)
        .collect();
    let title = match &present[..] {
        [] => format!("Generated code for {groups}."),
        [one] => format!("{} of {groups}.", capitalize(one)),
        [most @ .., last] => {
            let most = capitalize(&most.join(", "));
            format!("{most} and {last} of {groups}.")
        }
    };
    let mut docs = vec![title];
    let guide: &[&str] = match (has("clientset"), has("informers")) {
        (true, true) => &[
            "",
            "A [`clientset::Clientset`] calls the API server. An [`informers::SharedInformerFactory`]",
            "keeps objects cached, and its informers lead to listers, which read the cache.",
        ],
        (true, false) => &["", "A [`clientset::Clientset`] calls the API server."],
        (false, true) => &[
            "",
            "An [`informers::SharedInformerFactory`] keeps objects cached.",
        ],
        (false, false) => &[],
    };
    docs.extend(guide.iter().map(|line| (*line).to_owned()));
    if has("applyconfiguration") {
        docs.push(String::new());
        docs.push(
            "Types in [`applyconfiguration`] state some fields of an object, for server-side apply."
                .to_owned(),
        );
    }
    docs
}

fn capitalize(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

/// Emits the module. `documents` is the YAML of each generated definition.
pub(super) fn emit_crds(model: &Model, documents: &[String], package: &mut PackageFiles<'_>) {
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
    let written: Vec<_> = model.written.iter().map(render_document).collect();
    let source = RustFile {
        docs: vec!["The custom resource definitions.".to_owned()],
        uses,
        verbatim: documents_constant(&model.crds, documents, &written),
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
fn documents_constant(crds: &[Crd], documents: &[String], written: &[String]) -> String {
    let head = "/// The definitions as YAML, a document each.\nconst DOCUMENTS: &[&str] = &[";
    match (crds, documents, written) {
        ([], _, []) => return format!("{head}];\n"),
        ([Crd { cfg: None, .. }], [only], []) | ([], _, [only]) => {
            return format!("{head}{}];\n", raw_string_literal(only));
        }
        _ => {}
    }
    let mut text = format!("{head}\n");
    for (crd, document) in crds.iter().zip(documents) {
        if let Some(condition) = &crd.cfg {
            text.push_str(&format!("    #[cfg({condition})]\n"));
        }
        text.push_str(&format!("    {},\n", raw_string_literal(document)));
    }
    for document in written {
        text.push_str(&format!("    {},\n", raw_string_literal(document)));
    }
    text.push_str("];\n");
    text
}

/// The YAML of a definition that the package's own program writes.
fn render_document(definition: &ExternalDefinition) -> String {
    yaml::render_document(&YamlNode::from(&definition.document))
}

fn raw_string_literal(text: &str) -> String {
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}
