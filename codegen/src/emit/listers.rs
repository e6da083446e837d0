//! `listers/`: names for the listers of each kind.

use super::modules::{cfg, nested_version_modules};
use super::names::api_version;
use super::package::{PackageFiles, RustFile};
use super::uses::Uses;
use crate::model::{Group, Model, Resource, Version};
use crate::template::{apart, rust};

const LISTER: &str = "genclient::lister";

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    let source = RustFile {
        docs: vec!["Listers: typed reads of what informers have cached.".to_owned()],
        modules: nested_version_modules(model),
        ..RustFile::default()
    };
    package.rust("listers/mod.rs", &source);
    for (group, version) in model.versions() {
        version_module(group, version, package);
    }
}

/// Emits `listers/<group>/<version>.rs`.
fn version_module(group: &Group, version: &Version, package: &mut PackageFiles<'_>) {
    let mut uses = Uses::new(version.resources.iter().flat_map(names));
    let kinds = uses.kinds(&version.resources);
    let items = apart(
        kinds
            .iter()
            .map(|(resource, path)| aliases(resource, path, &mut uses)),
    );
    let source = RustFile {
        docs: vec![format!("Listers of `{}`.", api_version(group, version))],
        uses,
        items,
        ..RustFile::default()
    };
    let file = format!("listers/{}/{}.rs", group.module, version.module);
    package.rust(&file, &source);
}

fn names(resource: &Resource) -> Vec<String> {
    let mut names = vec![format!("{}Lister", resource.kind)];
    if resource.is_namespaced() {
        names.push(format!("{}NamespaceLister", resource.kind));
    }
    names
}

fn aliases(resource: &Resource, path: &str, uses: &mut Uses) -> String {
    let (kind, conditions) = (&resource.kind, cfg(&resource.cfg));
    let lister = uses.name(LISTER, "Lister");
    let all = rust!(kind, conditions, lister, path => "
        /// Reads cached `$kind` objects.
        $conditions
        pub type $kindLister = $lister<$path>;
    ");
    if !resource.is_namespaced() {
        return all;
    }
    let namespace_lister = uses.name(LISTER, "NamespaceLister");
    let one = rust!(kind, conditions, namespace_lister, path => "
        /// Reads the cached `$kind` objects of one namespace.
        $conditions
        pub type $kindNamespaceLister = $namespace_lister<$path>;
    ");
    apart([all, one])
}
