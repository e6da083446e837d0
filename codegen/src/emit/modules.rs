//! The `mod.rs` files of a tree that has a folder for each group and version and a file for each kind.

use proc_macro2::TokenStream;
use quote::quote;

use super::layout::Source;
use super::uses::Uses;
use super::{Package, api_version, cfg, common_cfg, ident};
use crate::model::{Group, Model, Resource, Version};

/// A tree of cached kinds.
pub(super) struct Tree {
    /// Its folder below the client's.
    pub(super) folder: &'static str,
    /// What it is.
    pub(super) title: &'static str,
    /// What a kind's file defines.
    pub(super) exports: fn(&Resource) -> Vec<String>,
}

/// Writes the three levels of `mod.rs`.
pub(super) fn emit(model: &Model, package: &mut Package<'_>, tree: &Tree) {
    let modules = group_modules(model);
    write(
        package,
        &format!("{}/mod.rs", tree.folder),
        tree.title,
        modules,
        TokenStream::new(),
    );
    for group in &model.groups {
        let folder = format!("{}/{}", tree.folder, group.module);
        let title = format!("The group `{}`.", group.name);
        write(
            package,
            &format!("{folder}/mod.rs"),
            &title,
            version_modules(group),
            TokenStream::new(),
        );
        for version in &group.versions {
            let title = format!("The kinds of `{}`.", api_version(group, version));
            let (modules, exports) = kind_modules(version, tree.exports);
            let file = format!("{folder}/{}/mod.rs", version.module);
            write(package, &file, &title, modules, exports);
        }
    }
}

fn write(
    package: &mut Package<'_>,
    file: &str,
    title: &str,
    modules: TokenStream,
    items: TokenStream,
) {
    let source = Source {
        docs: &[title.to_owned()],
        modules,
        uses: &Uses::new([]),
        items,
        text: String::new(),
    };
    package.rust(file, &source);
}

/// `pub mod falldio;` for each group.
pub(super) fn group_modules(model: &Model) -> TokenStream {
    let mut groups: Vec<_> = model.groups.iter().collect();
    groups.sort_by_key(|group| &group.module);
    groups
        .into_iter()
        .map(|group| {
            let conditions = cfg(&group_cfg(group));
            let module = ident(&group.module);
            quote!(#conditions pub mod #module;)
        })
        .collect()
}

/// The conditions that all kinds of a group share.
pub(super) fn group_cfg(group: &Group) -> Vec<String> {
    common_cfg(group.versions.iter().flat_map(|version| &version.resources))
}

/// `pub mod v1;` for each version.
pub(super) fn version_modules(group: &Group) -> TokenStream {
    let mut versions: Vec<_> = group.versions.iter().collect();
    versions.sort_by_key(|version| &version.module);
    versions
        .into_iter()
        .map(|version| {
            let conditions = cfg(&common_cfg(&version.resources));
            let module = ident(&version.module);
            quote!(#conditions pub mod #module;)
        })
        .collect()
}

fn kind_modules(
    version: &Version,
    exports: fn(&Resource) -> Vec<String>,
) -> (TokenStream, TokenStream) {
    private_modules(version.resources.iter(), exports)
}

/// `mod gpu_task;` and `pub use gpu_task::GPUTasks;` for each kind.
pub(super) fn private_modules<'a>(
    resources: impl Iterator<Item = &'a Resource>,
    exports: impl Fn(&Resource) -> Vec<String>,
) -> (TokenStream, TokenStream) {
    let mut resources: Vec<_> = resources.collect();
    resources.sort_by_key(|resource| &resource.names.module);
    let mut modules = TokenStream::new();
    let mut uses = TokenStream::new();
    for resource in resources {
        let conditions = cfg(&resource.cfg);
        let module = ident(&resource.names.module);
        modules.extend(quote!(#conditions mod #module;));
        let names: Vec<_> = exports(resource).iter().map(|name| ident(name)).collect();
        uses.extend(match &names[..] {
            [name] => quote!(#conditions pub use #module::#name;),
            names => quote!(#conditions pub use #module::{#(#names),*};),
        });
    }
    (modules, uses)
}
