//! Modules of a project: their files, and the `mod` and `use` items that declare them.

use genclient_codegen::{Diagnostic, Project, group_module};
use genclient_syntax::names;

use super::existing::ExistingProject;
use super::files::Scaffold;
use super::kind::KindNames;
use super::names::module_names;
use crate::insert;

/// The path that the shared test module `tests/common/mod.rs` would have as a single file. No test
/// gets this path, since `mod common;` would then match two files.
pub(super) const SHARED_TEST: &str = "tests/common.rs";

/// Text of the module that lists the controllers of a program.
pub(super) const CONTROLLER_LIST: &str = include_str!("templates/controllers.rs.tmpl");

/// Text of the module that lists the webhooks of a program.
pub(super) const WEBHOOK_LIST: &str = include_str!("templates/webhooks.rs.tmpl");

/// The file of a module: `a.rs` if it exists, else `a/mod.rs`, which is created if it is missing.
pub(super) fn find_or_create_file(folder: &str, docs: &str, files: &mut Scaffold) -> String {
    let flat = format!("{folder}.rs");
    if files.has(&flat) {
        return flat;
    }
    let file = format!("{folder}/mod.rs");
    if !files.has(&file) {
        files.create(&file, docs);
    }
    file
}

/// The file of a module that the crate root declares. A missing module is declared, and created
/// with the text `text`.
pub(super) fn declared_file(
    folder: &str,
    text: &str,
    existing: &ExistingProject,
    files: &mut Scaffold,
) -> String {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let is_new = !files.has(&format!("{folder}.rs")) && !files.has(&format!("{folder}/mod.rs"));
    if is_new {
        let root = existing.relative_path(&existing.project.crate_root);
        add_item(&root, &format!("pub mod {name};"), files);
    }
    find_or_create_file(folder, text, files)
}

/// Declares a module that has its own file. A module that is inline or has `#[path]` is reported.
pub(super) fn declare_module(file: &str, visibility: &str, name: &str, files: &mut Scaffold) {
    let line = format!("{visibility}mod {};", names::ident(name));
    let text = files.read_text(file).unwrap_or_default();
    if insert::has_inline_or_path_module(&text, name) {
        let shown = files.display_path(file);
        files.report(
            Diagnostic::error(format!(
                "the module `{name}` of {shown} must be in a file of the same name"
            ))
            .help(format!(
                "move it to such a file, and declare it with `{line}`"
            )),
        );
    }
    add_item(file, &line, files);
}

/// Adds a `mod` or `use` item to a file.
pub(super) fn add_item(file: &str, line: &str, files: &mut Scaffold) {
    let what = format!("add `{line}`");
    files.insert(file, &what, |text| insert::add_item(text, line));
}

/// The folder of a module below the API types.
pub(super) fn module_folder(module_path: &str, existing: &ExistingProject) -> String {
    let below = module_path
        .strip_prefix(&existing.project.types)
        .unwrap_or_default()
        .replace("::", "/");
    format!("{}{}", existing.apis(), below.replace("r#", ""))
}

/// True if the module of a folder has a submodule or a type called `name`.
pub(super) fn module_has(folder: &str, name: &str, files: &mut Scaffold) -> bool {
    let own = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
    let texts = own.iter().filter_map(|file| files.read_text(file));
    let mut types = texts.flat_map(|text| insert::type_names(&text));
    types.any(|it| it == name)
        || files.has(&format!("{folder}/{name}.rs"))
        || files.has(&format!("{folder}/{name}/mod.rs"))
}

/// The file in a version's module that defines a kind, and its text.
pub(super) fn find_source(
    module_path: &str,
    kind: &KindNames,
    existing: &ExistingProject,
    files: &mut Scaffold,
) -> Option<(String, String)> {
    let folder = module_folder(module_path, existing);
    let candidates = [
        format!("{folder}/{}.rs", kind.file),
        format!("{folder}.rs"),
        format!("{folder}/mod.rs"),
    ];
    candidates.into_iter().find_map(|file| {
        let text = files.read_text(&file)?;
        let is_here = insert::type_names(&text).contains(&kind.kind);
        is_here.then_some((file, text))
    })
}

/// Chooses the module of a folder for a kind's controller or webhooks, from [`module_names`].
/// Returns the first one whose file is missing or imports the kind or the kind's module, with the
/// text if the file exists. If all three files are about other kinds, returns the last name without
/// a text: the attempt to create that file is then reported.
pub(super) fn choose_file(
    folder: &str,
    kind: &KindNames,
    files: &mut Scaffold,
) -> (String, Option<String>) {
    let KindNames {
        kind,
        file,
        version,
        group_module,
        module_path,
        ..
    } = kind;
    let names = module_names(file, group_module, version);
    let texts: Vec<_> = names
        .iter()
        .map(|name| files.read_text(&format!("{folder}/{name}.rs")))
        .collect();
    let mut found = names.iter().zip(texts);
    let is_about = |text: &String| {
        let imports = |path: &str| insert::has_import(text, path);
        imports(module_path) || imports(&format!("{module_path}::{kind}"))
    };
    match found.find(|(_, text)| text.as_ref().is_none_or(is_about)) {
        Some((name, text)) => (name.clone(), text),
        None => (names[2].clone(), None),
    }
}

/// True if one of the files is a test that `is_about` accepts.
pub(super) fn has_test(
    paths: &[String],
    is_about: impl Fn(&str) -> bool,
    files: &mut Scaffold,
) -> bool {
    let present: Vec<_> = paths.iter().filter(|path| files.has(path)).collect();
    let mut texts = present.into_iter().filter_map(|path| files.read_text(path));
    texts.any(|text| is_about(&text))
}

/// The first path that is free for a test, or else the last path.
pub(super) fn first_free<const N: usize>(paths: [String; N], files: &Scaffold) -> String {
    let is_free = |path: &&String| !files.has(path) && **path != SHARED_TEST;
    paths.iter().find(is_free).unwrap_or(&paths[N - 1]).clone()
}

/// Declares the module of the API types, if it is directly below the crate root.
pub(super) fn declare_apis(existing: &ExistingProject, files: &mut Scaffold) {
    let (apis, root) = (existing.apis(), &existing.project.crate_root);
    if existing.project.apis.parent() == root.parent() {
        declare_module(
            &existing.relative_path(root),
            "pub ",
            last_segment(&apis),
            files,
        );
    }
}

/// Declares the generated client module, if it is directly below the crate root.
pub(super) fn declare_clients(existing: &ExistingProject, files: &mut Scaffold) {
    let client = &existing.project.client;
    let Some(name) = client.path.strip_prefix("crate::") else {
        return;
    };
    let root = existing.relative_path(&existing.project.crate_root);
    if existing.project.has_clients() && !name.contains("::") {
        declare_module(&root, "pub ", name, files);
    }
}

pub(super) fn last_segment(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// The module name of a group. Names that are taken are reported.
pub(super) fn module_of_group(
    group: &str,
    existing: &ExistingProject,
    files: &mut Scaffold,
) -> String {
    let known = existing.groups().find(|(name, _)| *name == group);
    if let Some((_, module)) = known {
        return module.to_owned();
    }
    let Project {
        group_aliases,
        types,
        ..
    } = &existing.project;
    let module = group_module::group_module_name(group, group_aliases, types);
    let alias = group.replace(['.', '-'], "_");
    let help = format!(
        "set an alias: `group-aliases = {{ \"{group}\" = \"{alias}\" }}` in `[package.metadata.genclient]`"
    );
    if group_module::is_factory_method(&module) {
        files.report(
            Diagnostic::error(format!(
                "the module `{module}` of the group {group} conflicts with a method of the informer factory"
            ))
            .help(help.clone()),
        );
    }
    if let Some((other, _)) = existing.groups().find(|(_, taken)| *taken == module) {
        files.report(
            Diagnostic::error(format!(
                "the groups {other} and {group} would have the same module `{module}`"
            ))
            .help(help),
        );
    }
    module
}
