//! Modules that a scaffolded kind needs: of its group, of the API types and of the clients.

use genclient_codegen::{Diagnostic, Project, group_module};

use super::existing::Existing;
use super::files::Scaffold;
use super::modules;

/// Declares the module of the API types, if it is directly below the crate root.
pub(super) fn declare_apis(existing: &Existing, files: &mut Scaffold) {
    let (apis, root) = (existing.apis(), &existing.project.crate_root);
    if existing.project.apis.parent() == root.parent() {
        modules::declare(&existing.below(root), "pub ", last(&apis), files);
    }
}

/// Declares the generated client module, if it is directly below the crate root.
pub(super) fn declare_clients(existing: &Existing, files: &mut Scaffold) {
    let client = &existing.project.client;
    let Some(name) = client.path.strip_prefix("crate::") else {
        return;
    };
    let root = existing.below(&existing.project.crate_root);
    if existing.project.has_clients() && !name.contains("::") {
        modules::declare(&root, "pub ", name, files);
    }
}

pub(super) fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The module name of a group. Names that are taken are reported.
pub(super) fn module_of_group(group: &str, existing: &Existing, files: &mut Scaffold) -> String {
    let known = existing.groups().find(|(name, _)| *name == group);
    if let Some((_, module)) = known {
        return module.to_owned();
    }
    let Project {
        group_aliases,
        types,
        ..
    } = &existing.project;
    let module = group_module::of(group, group_aliases, types);
    let alias = group.replace(['.', '-'], "_");
    let help = format!(
        "set an alias: `group-aliases = {{ \"{group}\" = \"{alias}\" }}` in `[package.metadata.genclient]`"
    );
    if group_module::is_taken(&module) {
        files.report(
            Diagnostic::error(format!(
                "the module `{module}` of the group {group} conflicts with a method of the informer factory"
            ))
            .help(help.clone()),
        );
    }
    if let Some((other, _)) = existing.groups().find(|(_, of)| *of == module) {
        files.report(
            Diagnostic::error(format!(
                "the groups {other} and {group} would have the same module `{module}`"
            ))
            .help(help),
        );
    }
    module
}
