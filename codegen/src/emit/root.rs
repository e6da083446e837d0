//! Root file of the client module: its documentation, its submodules, and the check of the contract
//! number.

use std::collections::BTreeSet;

use super::conversion;
use super::package::{PackageFiles, RustFile};
use crate::model::{Artefact, Model};
use crate::project::Project;

/// The contract number: the version of the interface of generated code with the runtime. It changes
/// only if generated code must change.
const CONTRACT: u32 = 2;

pub(super) fn emit(model: &Model, chosen: &BTreeSet<Artefact>, package: &mut PackageFiles<'_>) {
    let present = &package.project.present;
    let mut modules: Vec<_> = Artefact::ALL
        .into_iter()
        .filter(|artefact| {
            if chosen.contains(artefact) {
                *artefact != Artefact::Conversion || conversion::is_needed(model)
            } else {
                present.contains(artefact)
            }
        })
        .map(Artefact::module)
        .filter(|module| !module.is_empty())
        .collect();
    modules.sort_unstable();
    let docs = docs(model, &modules);
    let modules: String = modules
        .iter()
        .map(|module| format!("pub mod {module};\n"))
        .collect();
    let source = RustFile {
        docs,
        modules: lints(package.project).to_owned() + &modules,
        items: format!("const _: () = genclient::assert_contract({CONTRACT});\n"),
        ..RustFile::default()
    };
    let file = package.project.client.root_file.clone();
    package.rust(&file, &source);
}

/// The `allow` attribute for the client of a program; empty for a library. rustc reports unused
/// public items in programs, and a program uses only some of the clients. It is no `expect`: a
/// program may use all of them.
fn lints(project: &Project) -> &'static str {
    if project.client.in_program {
        "#![allow(dead_code, unused_imports, reason = \"a program uses some clients\")]\n\n"
    } else {
        ""
    }
}

/// The documentation of the client module with these submodules.
fn docs(model: &Model, modules: &[&str]) -> Vec<String> {
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
    let present = parts.into_iter().filter(|(module, _)| has(module));
    let present: Vec<_> = present.map(|(_, part)| part).collect();
    let title = match &present[..] {
        [] => format!("Generated code for {groups}."),
        [one] => format!("{} of {groups}.", capitalized(one)),
        [most @ .., last] => {
            let most = capitalized(&most.join(", "));
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
    docs
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}
