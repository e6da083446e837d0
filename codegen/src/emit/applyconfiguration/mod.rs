//! `applyconfiguration/`: apply configurations, in modules that mirror those of the API types.

mod fields;
mod head;
mod imports;
mod lints;
mod structs;
mod unions;
mod values;

use self::imports::Imports;
use super::names::{cfg, ident, sort_lines};
use super::package::{PackageFiles, RustFile, doc_comments};
use super::uses::Uses;
use crate::model::{ApplyForm, ApplyModule, ApplyType, Model};
use crate::template::{join_with_blank_lines, rust};

/// The folder and module of apply configurations.
const MODULE: &str = "applyconfiguration";

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    let modules = &model.apply;
    if modules.is_empty() {
        return;
    }
    let is_root = |module: &&ApplyModule| module.path.is_empty();
    let (uses, items) = modules.iter().find(is_root).map_or_else(
        || (Uses::default(), String::new()),
        |root| module_items(root, package),
    );
    let source = RustFile {
        docs: vec![
            "Apply configurations: fields of objects, as one field manager states them by \
             server-side apply."
                .to_owned(),
        ],
        modules: join_sections(&[lints::allow_attribute(modules), submodules(modules, &[])]),
        uses,
        items,
        ..RustFile::default()
    };
    package.rust(&format!("{MODULE}/mod.rs"), &source);
    for module in modules {
        if has_file(module) {
            emit_module(module, modules, package);
        }
    }
}

/// Whether a module has a file of its own. Others are inline in the file of their parent.
fn has_file(module: &ApplyModule) -> bool {
    !module.path.is_empty() && !module.types.is_empty()
}

/// Emits the file of a module.
fn emit_module(module: &ApplyModule, modules: &[ApplyModule], package: &mut PackageFiles<'_>) {
    let (uses, items) = module_items(module, package);
    let submodules = submodules(modules, &module.path);
    let folder = format!("{MODULE}/{}", module.path.join("/"));
    let file = if submodules.is_empty() {
        format!("{folder}.rs")
    } else {
        format!("{folder}/mod.rs")
    };
    let source = RustFile {
        docs: vec![title(module)],
        modules: submodules,
        uses,
        items,
        ..RustFile::default()
    };
    package.rust(&file, &source);
}

fn title(module: &ApplyModule) -> String {
    format!(
        "Apply configurations of the types in `{}`.",
        module.path.join("::")
    )
}

/// The `mod` items of the modules below `path`: those with a file, then those without.
fn submodules(modules: &[ApplyModule], path: &[String]) -> String {
    let is_child = |module: &&ApplyModule| {
        module.path.len() == path.len() + 1 && module.path.starts_with(path)
    };
    let (with_file, without_file): (Vec<_>, Vec<_>) = modules
        .iter()
        .filter(is_child)
        .partition(|module| has_file(module));
    let files = sort_lines(with_file.into_iter().map(|module| {
        let name = last_segment(module);
        let line = format!("{}pub mod {};\n", cfg(&module.cfg), ident(name));
        (name, line)
    }));
    let inline = without_file.into_iter().map(|module| {
        let (docs, conditions) = (doc_comments([&*title(module)]), cfg(&module.cfg));
        let name = ident(last_segment(module));
        let content = submodules(modules, &module.path);
        rust!(docs, conditions, name, content => "
            $docs
            $conditions
            pub mod $name {
                $content
            }
        ")
    });
    join_sections(&[files, join_with_blank_lines(inline)])
}

fn last_segment(module: &ApplyModule) -> &str {
    module.path.last().map_or("", String::as_str)
}

fn join_sections(sections: &[String]) -> String {
    let filled = sections.iter().filter(|section| !section.is_empty());
    join_with_blank_lines(filled.cloned())
}

/// The imports and the items of a module.
fn module_items(module: &ApplyModule, package: &PackageFiles<'_>) -> (Uses, String) {
    let path = module
        .path
        .iter()
        .fold(package.module(MODULE), |path, segment| {
            format!("{path}::{}", ident(segment))
        });
    let names = module.types.iter().map(|type_| type_.name.clone());
    let mut imports = Imports::new(path, package.kinds, names);
    let items = module
        .types
        .iter()
        .map(|type_| type_items(type_, &mut imports));
    let items = join_with_blank_lines(items);
    (imports.into_uses(), items)
}

fn type_items(type_: &ApplyType, imports: &mut Imports<'_>) -> String {
    match &type_.form {
        ApplyForm::Kind(kind, fields) => structs::kind_items(type_, kind, fields, imports),
        ApplyForm::Struct(fields) => structs::struct_items(type_, fields, imports),
        ApplyForm::Union(union) => unions::union_item(type_, union, imports),
    }
}
