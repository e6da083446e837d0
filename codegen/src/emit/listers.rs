//! `listers/`: typed read access to a cache.

use super::modules::{group_modules, private_modules, version_modules};
use super::names::{api_version, ident};
use super::package::{PackageFiles, ResourceEntry, RustFile};
use super::uses::Uses;
use crate::model::{Model, Resource};
use crate::template::rust;

const LISTER: &str = "genclient::lister";

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    let title = "Listers: typed reads of what informers have cached.".to_owned();
    module(
        "listers/mod.rs",
        title,
        group_modules(model),
        String::new(),
        package,
    );
    for group in &model.groups {
        let file = format!("listers/{}/mod.rs", group.module);
        let title = format!("The group `{}`.", group.name);
        module(&file, title, version_modules(group), String::new(), package);
    }
    for (group, version) in model.versions() {
        let file = format!("listers/{}/{}/mod.rs", group.module, version.module);
        let title = format!("The kinds of `{}`.", api_version(group, version));
        let (modules, exports) = private_modules(version, exports);
        module(&file, title, modules, exports, package);
    }
    for entry in model.resources() {
        resource_module(entry, package);
    }
}

/// Emits a `mod.rs` that only declares modules and re-exports their items.
fn module(
    file: &str,
    title: String,
    modules: String,
    exports: String,
    package: &mut PackageFiles<'_>,
) {
    let source = RustFile {
        docs: vec![title],
        modules,
        items: exports,
        ..RustFile::default()
    };
    package.rust(file, &source);
}

fn exports(resource: &Resource) -> Vec<String> {
    let mut names = vec![format!("{}Lister", resource.kind)];
    if resource.is_namespaced() {
        names.push(format!("{}NamespaceLister", resource.kind));
    }
    names
}

fn resource_module(entry: ResourceEntry<'_>, package: &mut PackageFiles<'_>) {
    let (_, _, resource) = entry;
    let mut uses = Uses::new(exports(resource));
    let kind = uses.kind(&resource.type_path, &[]);
    let mut items = lister(resource, &kind, &mut uses);
    if resource.is_namespaced() {
        items.push('\n');
        items.push_str(&namespace_lister(resource, &kind, &mut uses));
    }
    package.kind("listers", "lister", entry, uses, items);
}

fn lister(resource: &Resource, kind: &str, uses: &mut Uses) -> String {
    let name = format!("{}Lister", resource.kind);
    let indexer = uses.name("genclient::cache", "Indexer");
    let object_name = uses.name("genclient::cache", "ObjectName");
    let (lister, selector) = (uses.name(LISTER, "Lister"), uses.name(LISTER, "Selector"));
    let arc = uses.name("std::sync", "Arc");
    let vec = uses.prelude("std::vec", "Vec");
    let from_iterator = uses.prelude("std::iter", "FromIterator");
    let into_iterator = uses.prelude("std::iter", "IntoIterator");
    let iterator = if resource.kind == "I" { "T" } else { "I" };
    let lookup = if resource.is_namespaced() {
        namespace_accessor(resource)
    } else {
        String::new()
    };
    let getter = getter(kind, &object_name, uses);
    let objects = &resource.kind;
    rust!(objects, name, lister, kind, indexer, selector, vec, arc, getter, lookup, from_iterator, iterator, into_iterator => "
        /// Reads cached `$objects` objects.
        #[derive(Clone, Debug)]
        pub struct $name {
            lister: $lister<$kind>,
        }

        impl $name {
            /// Reads the objects of `indexer`.
            pub fn new(indexer: $indexer<$kind>) -> Self {
                let lister = $lister::new(indexer);
                Self { lister }
            }

            /// Returns the cached objects that `selector` matches, in no particular order.
            pub fn list(&self, selector: &$selector) -> $vec<$arc<$kind>> {
                self.lister.list(selector)
            }

            $getter

            $lookup
        }

        impl $from_iterator<$kind> for $name {
            fn from_iter<$iterator: $into_iterator<Item = $kind>>(objects: $iterator) -> Self {
                let lister = objects.into_iter().collect();
                Self { lister }
            }
        }
    ")
}

fn namespace_accessor(resource: &Resource) -> String {
    let accessor = ident(&resource.names.accessor);
    let kind = &resource.kind;
    rust!(accessor, kind => "
        /// The lister of one namespace.
        pub fn $accessor(&self, namespace: &str) -> $kindNamespaceLister {
            let lister = self.lister.namespace(namespace);
            $kindNamespaceLister { lister }
        }
    ")
}

fn getter(kind: &str, name: &str, uses: &mut Uses) -> String {
    let arc = uses.name("std::sync", "Arc");
    let option = uses.prelude("std::option", "Option");
    rust!(option, arc, kind, name => "
        /// Returns the cached object `name`, or `None`.
        pub fn get(&self, name: &$name) -> $option<$arc<$kind>> {
            self.lister.get(name)
        }
    ")
}

fn namespace_lister(resource: &Resource, kind: &str, uses: &mut Uses) -> String {
    let name = format!("{}NamespaceLister", resource.kind);
    let lister = uses.name(LISTER, "NamespaceLister");
    let selector = uses.name(LISTER, "Selector");
    let arc = uses.name("std::sync", "Arc");
    let vec = uses.prelude("std::vec", "Vec");
    let getter = getter(kind, "str", uses);
    let objects = &resource.kind;
    rust!(objects, name, lister, kind, selector, vec, arc, getter => "
        /// Reads the cached `$objects` objects of one namespace.
        #[derive(Clone, Debug)]
        pub struct $name {
            lister: $lister<$kind>,
        }

        impl $name {
            /// Returns the cached objects that `selector` matches, in no particular order.
            pub fn list(&self, selector: &$selector) -> $vec<$arc<$kind>> {
                self.lister.list(selector)
            }

            $getter
        }
    ")
}
