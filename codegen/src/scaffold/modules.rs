//! Modules of a project: their files, and the items that lead to others.

use super::existing::Existing;
use super::files::Scaffold;
use super::insert;
use super::kind::KindNames;

/// The file of a module: `a.rs` if that is there, else `a/mod.rs`, which is made if it is missing.
pub(super) fn file(folder: &str, docs: &str, files: &mut Scaffold) -> String {
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

/// The file of a module beside the API types. It is made, and declared, if it is missing.
pub(super) fn beside(
    folder: &str,
    text: &str,
    existing: &Existing,
    files: &mut Scaffold,
) -> String {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let is_new = !files.has(&format!("{folder}.rs")) && !files.has(&format!("{folder}/mod.rs"));
    if is_new {
        let root = existing.below(&existing.project.crate_root);
        add(&root, &format!("pub mod {name};"), files);
    }
    file(folder, text, files)
}

/// Adds a `mod` or `use` item to a file.
pub(super) fn add(file: &str, line: &str, files: &mut Scaffold) {
    let what = format!("add `{line}`");
    files.insert(file, &what, |text| insert::item(text, line));
}

/// The folder of a module among the API types.
pub(super) fn folder(module_path: &str, existing: &Existing) -> String {
    let below = module_path.strip_prefix(&existing.project.types);
    let below = below.unwrap_or_default().replace("::", "/");
    format!("{}{}", existing.apis(), below.replace("r#", ""))
}

/// The file that defines a kind in the module of a version, and its text.
pub(super) fn source(
    module_path: &str,
    about: &KindNames,
    existing: &Existing,
    files: &mut Scaffold,
) -> Option<(String, String)> {
    let folder = folder(module_path, existing);
    let candidates = [
        format!("{folder}/{}.rs", about.file),
        format!("{folder}.rs"),
        format!("{folder}/mod.rs"),
    ];
    candidates.into_iter().find_map(|file| {
        let text = files.text(&file)?;
        let is_here = insert::types(&text).contains(&about.kind);
        is_here.then_some((file, text))
    })
}

/// The first of some paths at which there is no file.
pub(super) fn free<const N: usize>(paths: [String; N], files: &Scaffold) -> String {
    let free = paths.iter().find(|path| !files.has(path));
    free.unwrap_or(&paths[N - 1]).clone()
}
