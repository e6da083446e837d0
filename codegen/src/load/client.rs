//! Checks of the client module: conflicting files, a missing `mod` line, and clients and CRDs that
//! an earlier run left in another folder.

use std::path::{Path, PathBuf};

use glob::Pattern;
use syn::Item;

use crate::diagnostic::{Diagnostic, Sink};
use crate::header::is_generated;
use crate::inputs;
use crate::paths::normalize;
use crate::project::Project;

/// Reports a file that conflicts with the client module, a missing `mod` line, and clients that an
/// earlier run left in another folder.
pub fn check_client(project: &Project, sink: &mut Sink) {
    report_file_beside(project, sink);
    report_undeclared(project, sink);
    report_old_clients(project, sink);
}

/// Reports a `client.rs` beside `client/mod.rs`, which rustc refuses.
fn report_file_beside(project: &Project, sink: &mut Sink) {
    let client = &project.client;
    let beside = client.dir.with_extension("rs");
    if client.root_file == "mod.rs" && inputs::is_file(&beside) {
        sink.push(
            Diagnostic::error(format!(
                "{} conflicts with the generated module in {}",
                project.shown(&beside),
                project.shown(&client.dir.join(&client.root_file))
            ))
            .help(
                "move or remove it, or choose another folder: `client = \"…\"` in `[package.metadata.genclient]`",
            ),
        );
    }
}

/// Warns if no `mod` line declares the client module.
fn report_undeclared(project: &Project, sink: &mut Sink) {
    let dir = &project.client.dir;
    let (Some(parent), Some(name)) = (dir.parent(), dir.file_name()) else {
        return;
    };
    let name = name.to_string_lossy();
    let parents = parent_files(project, parent);
    if project.client.root_file != "mod.rs"
        || parents.iter().any(|file| declares_module(file, &name))
    {
        return;
    }
    let Some(file) = parents.first() else {
        return report_missing_root(project, &name, sink);
    };
    sink.push(
        Diagnostic::warning(format!(
            "{} has no module `{name}`: the clients are not part of the crate",
            project.shown(file)
        ))
        .help(format!("add `pub mod {name};` to it")),
    );
}

/// Warns if the crate root that has to declare the client module does not exist.
fn report_missing_root(project: &Project, name: &str, sink: &mut Sink) {
    let root = normalize(&project.crate_root);
    if root.parent() != project.client.dir.parent() || inputs::is_file(&root) {
        return;
    }
    let types = project.apis.file_name().unwrap_or_default().display();
    let root = project.shown(&root);
    sink.push(
        Diagnostic::warning(format!(
            "{root} does not exist: the clients are not part of a crate"
        ))
        .help(format!(
            "create it with `pub mod {types};` and `pub mod {name};`"
        )),
    );
}

/// Returns the files that may declare the modules of a folder.
fn parent_files(project: &Project, folder: &Path) -> Vec<PathBuf> {
    let root = normalize(&project.crate_root);
    let mut files = vec![
        folder.join("mod.rs"),
        folder.join("lib.rs"),
        folder.join("main.rs"),
        folder.with_extension("rs"),
    ];
    if root.parent() == Some(folder) {
        files.insert(0, root);
    }
    files.retain(|file| inputs::is_file(file));
    files
}

/// Returns whether a file declares the module `name`. A file with a syntax error counts as
/// declaring it, because rustc reports that error.
fn declares_module(file: &Path, name: &str) -> bool {
    let parsed = inputs::read_text_file(file).map(|text| syn::parse_file(&text));
    let Ok(Ok(parsed)) = parsed else {
        return true;
    };
    parsed.items.iter().any(|item| match item {
        Item::Mod(module) => module.ident == name,
        // A macro may expand to the `mod` line.
        Item::Macro(_) => true,
        _ => false,
    })
}

/// Warns of clients in another folder. An earlier run wrote them before the setting `client` was
/// changed.
fn report_old_clients(project: &Project, sink: &mut Sink) {
    let sources = project.crate_root.parent().unwrap_or(&project.dir);
    let mut roots = inputs::list_rust_files(sources);
    roots.retain(|file| {
        file.ends_with("mod.rs") && !normalize(file).starts_with(&project.client.dir)
    });
    roots.sort();
    for root in roots {
        let text = inputs::read_text_file(&root).unwrap_or_default();
        if is_generated(&text) && text.contains("genclient::assert_contract(") {
            let old = root.parent().unwrap_or(&root);
            report_leftover_files(project, old, &project.client.dir, sink);
        }
    }
}

/// Warns of CRDs in another folder. An earlier run wrote them before the setting `config` was
/// changed. Kustomize bases (`genclient render kustomize`) are ignored.
pub fn check_config(project: &Project, definitions: &[String], sink: &mut Sink) {
    let dir = Pattern::escape(&project.dir.to_string_lossy());
    for folder in inputs::matching(&format!("{dir}/*/crd")).unwrap_or_default() {
        let old = normalize(&folder);
        let is_own = old.parent() == Some(&*project.config);
        if is_own || inputs::is_file(&old.with_file_name("default/kustomization.yaml")) {
            continue;
        }
        let is_left = |name: &String| {
            inputs::read_text_file(&old.join(name)).is_ok_and(|text| is_generated(&text))
        };
        if definitions.iter().any(is_left) {
            report_leftover_files(project, &old, &project.config.join("crd"), sink);
        }
    }
}

fn report_leftover_files(project: &Project, old: &Path, new: &Path, sink: &mut Sink) {
    let (old, new) = (project.shown(old), project.shown(new));
    sink.push(
        Diagnostic::warning(format!(
            "{old} has generated files of an earlier run, which are now written to {new}"
        ))
        .help(format!("remove them: rm -r {old}")),
    );
}
