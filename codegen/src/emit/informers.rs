//! `informers/`: an informer for each cached kind, and the factory that starts them; and
//! `listers/`: names for the listers of each kind.

use super::kind_paths::KindPaths;
use super::names::{
    api_version, cfg, common_cfg, group_cfg, group_modules, group_title, group_type, ident,
    nested_version_modules, version_modules, version_type,
};
use super::package::{PackageFiles, RustFile};
use super::uses::Uses;
use crate::model::{Group, Model, Resource, Version};
use crate::template::{join_with_blank_lines, rust};

const INFORMER_MODULE: &str = "genclient::informer";

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    emit_factory(model, package);
    for group in &model.groups {
        emit_group_module(group, package);
    }
    for (group, version) in model.versions() {
        emit_version_module(group, version, package);
    }
}

/// Emits `informers/mod.rs`.
fn emit_factory(model: &Model, package: &mut PackageFiles<'_>) {
    let mut uses = Uses::new(["SharedInformerFactory".to_owned()]);
    let groups = model.groups.iter();
    let accessors = join_with_blank_lines(groups.map(|group| group_accessor(group, &mut uses)));
    let cases = resource_cases(model, package.kinds, &mut uses);
    let from = uses.prelude("std::convert", "From");
    let clientset = uses.name(&package.module("clientset"), "Clientset");
    let builder = uses.name(INFORMER_MODULE, "SharedInformerFactoryBuilder");
    let shared = shared_methods(&mut uses);
    let for_resource = for_resource_method(&cases, &mut uses);
    let items = rust!(clientset, builder, accessors, shared, for_resource, from => "
        /// Creates one informer for each kind, and starts and stops them together.
        #[derive(Clone)]
        pub struct SharedInformerFactory {
            factory: genclient::informer::SharedInformerFactory,
        }

        impl SharedInformerFactory {
            /// Returns a builder of a factory that reads through `clientset`.
            pub fn builder(clientset: $clientset) -> $builder<Self> {
                $builder::new(clientset.client().clone())
            }

            $accessors

            $shared

            $for_resource
        }

        impl $from<genclient::informer::SharedInformerFactory> for SharedInformerFactory {
            fn from(factory: genclient::informer::SharedInformerFactory) -> Self {
                Self { factory }
            }
        }
    ");
    let source = RustFile {
        docs: vec!["Informers: [`SharedInformerFactory`] leads to each of them.".to_owned()],
        modules: group_modules(model),
        uses,
        items,
        ..RustFile::default()
    };
    package.rust("informers/mod.rs", &source);
}

fn group_accessor(group: &Group, uses: &mut Uses) -> String {
    let common = group_cfg(group);
    let conditions = cfg(&common);
    let accessor = ident(&group.module);
    let path = format!("self::{}::{}", group.module, group_type(group));
    let (group, name) = (group_title(group), uses.import_kind(&path, &common));
    rust!(group, conditions, accessor, name => "
        /// The informers of $group.
        $conditions
        pub fn $accessor(&self) -> $name {
            $name::new(&self.factory)
        }
    ")
}

/// The factory's methods that are the same for all packages. They delegate to the runtime.
fn shared_methods(uses: &mut Uses) -> String {
    let informer = uses.name(INFORMER_MODULE, "SharedInformer");
    let object = uses.name("genclient::scheme", "Object");
    let (synced, error) = (
        uses.name(INFORMER_MODULE, "Synced"),
        uses.name(INFORMER_MODULE, "SyncError"),
    );
    let result = uses.prelude("std::result", "Result");
    rust!(object, informer, result, synced, error => "
        /// The informer of a kind that is not generated here, such as `Pod`.
        pub fn informer_for<K: $object<DynamicType: Default>>(&self) -> $informer<K> {
            self.factory.informer_for()
        }

        /// Starts every requested informer that does not run yet, and returns at once.
        pub fn start(&self) {
            self.factory.start();
        }

        /// Waits until every started informer has its first list.
        ///
        /// # Errors
        ///
        /// An informer keeps failing in a way that retries rarely fix, such as a missing CRD.
        pub async fn wait_for_cache_sync(&self) -> $result<$synced, $error> {
            self.factory.wait_for_cache_sync().await
        }

        /// Stops every informer and waits until their tasks have ended.
        pub async fn shutdown(&self) {
            self.factory.shutdown().await;
        }
    ")
}

/// The body of `for_resource`: for each kind, an `if` that returns its informer.
fn resource_cases(model: &Model, kinds: &KindPaths<'_>, uses: &mut Uses) -> String {
    let mut cases = String::new();
    for (_, _, resource) in model.resources() {
        let conditions = cfg(&resource.cfg);
        let kind = uses.import_kind(&kinds.path(&resource.type_path), &resource.cfg);
        cases.push_str(&rust!(conditions, kind => "
            $conditions
            if let Some(informer) = self.factory.generic_for::<$kind>(resource) {
                return Ok(informer);
            }
        "));
    }
    cases
}

fn for_resource_method(cases: &str, uses: &mut Uses) -> String {
    let resource_type = uses.name("genclient::scheme", "GroupVersionResource");
    let (generic, missing) = (
        uses.name(INFORMER_MODULE, "GenericInformer"),
        uses.name(INFORMER_MODULE, "NoInformerError"),
    );
    let result = uses.prelude("std::result", "Result");
    rust!(resource_type, result, generic, missing, cases => "
        /// The informer of a kind that is known only at run time.
        ///
        /// # Errors
        ///
        /// This client has no kind with that resource.
        pub fn for_resource(&self, resource: &$resource_type) -> $result<$generic, $missing> {
            $cases
            Err($missing::new(resource.clone()))
        }
    ")
}

/// Emits `informers/<group>/mod.rs`.
fn emit_group_module(group: &Group, package: &mut PackageFiles<'_>) {
    let name = ident(&group_type(group));
    let mut uses = Uses::new([group_type(group)]);
    let factory = uses.name(INFORMER_MODULE, "SharedInformerFactory");
    let title = group_title(group);
    let accessors = join_with_blank_lines(group.versions.iter().map(|version| {
        let conditions = cfg(&common_cfg(&version.resources));
        let (accessor, name) = (ident(&version.module), ident(&version_type(version)));
        let version = api_version(group, version);
        rust!(version, conditions, accessor, name => "
            /// The informers of `$version`.
            $conditions
            pub fn $accessor(&self) -> $accessor::$name {
                $accessor::$name::new(&self.factory)
            }
        ")
    }));
    let source = RustFile {
        docs: vec![format!("Informers of {title}.")],
        modules: version_modules(group),
        uses,
        items: accessor_struct(&name, &factory, &title, &accessors),
        ..RustFile::default()
    };
    package.rust(&format!("informers/{}/mod.rs", group.module), &source);
}

/// The struct through which callers go from the factory to the informers of a group or version.
fn accessor_struct(name: &str, factory: &str, title: &str, accessors: &str) -> String {
    rust!(title, name, factory, accessors => "
        /// The informers of $title.
        #[derive(Clone)]
        pub struct $name {
            factory: $factory,
        }

        impl $name {
            pub(super) fn new(factory: &$factory) -> Self {
                Self {
                    factory: factory.clone(),
                }
            }

            $accessors
        }
    ")
}

/// Emits `informers/<group>/<version>.rs`.
fn emit_version_module(group: &Group, version: &Version, package: &mut PackageFiles<'_>) {
    let name = ident(&version_type(version));
    let kinds = || version.resources.iter();
    let own = kinds().map(|resource| format!("{}Informer", resource.kind));
    let mut uses = Uses::new(own.chain([version_type(version)]));
    let paths = import_kinds(version, package.kinds, &mut uses);
    let factory = uses.name(INFORMER_MODULE, "SharedInformerFactory");
    let title = format!("`{}`", api_version(group, version));
    let aliases = join_with_blank_lines(
        paths
            .iter()
            .map(|(resource, path)| informer_alias(resource, path, &mut uses)),
    );
    let accessors = join_with_blank_lines(kinds().map(kind_accessor));
    let source = RustFile {
        docs: vec![format!("Informers of {title}.")],
        uses,
        items: join_with_blank_lines([
            aliases,
            accessor_struct(&name, &factory, &title, &accessors),
        ]),
        ..RustFile::default()
    };
    let file = format!("informers/{}/{}.rs", group.module, version.module);
    package.rust(&file, &source);
}

/// Imports the kinds of a version, before other names so that these give way to them.
fn import_kinds<'m>(
    version: &'m Version,
    kinds: &KindPaths<'_>,
    uses: &mut Uses,
) -> Vec<(&'m Resource, String)> {
    let resources = version.resources.iter();
    resources
        .map(|resource| {
            let path = kinds.path(&resource.type_path);
            (resource, uses.import_kind(&path, &resource.cfg))
        })
        .collect()
}

fn informer_alias(resource: &Resource, path: &str, uses: &mut Uses) -> String {
    let (kind, conditions) = (&resource.kind, cfg(&resource.cfg));
    let informer = uses.name(INFORMER_MODULE, "SharedInformer");
    rust!(kind, conditions, informer, path => "
        /// Caches `$kind` objects and notifies handlers of changes.
        $conditions
        pub type $kindInformer = $informer<$path>;
    ")
}

fn kind_accessor(resource: &Resource) -> String {
    let (kind, conditions) = (&resource.kind, cfg(&resource.cfg));
    let accessor = ident(&resource.names.accessor);
    rust!(kind, conditions, accessor => "
        /// Returns the informer of `$kind`, which all callers share.
        $conditions
        pub fn $accessor(&self) -> $kindInformer {
            self.factory.informer_for()
        }
    ")
}

const LISTER_MODULE: &str = "genclient::lister";

pub(super) fn emit_listers(model: &Model, package: &mut PackageFiles<'_>) {
    let source = RustFile {
        docs: vec!["Listers: typed reads of what informers have cached.".to_owned()],
        modules: nested_version_modules(model),
        ..RustFile::default()
    };
    package.rust("listers/mod.rs", &source);
    for (group, version) in model.versions() {
        emit_lister_module(group, version, package);
    }
}

/// Emits `listers/<group>/<version>.rs`.
fn emit_lister_module(group: &Group, version: &Version, package: &mut PackageFiles<'_>) {
    let mut uses = Uses::new(version.resources.iter().flat_map(lister_names));
    let kinds = import_kinds(version, package.kinds, &mut uses);
    let items = join_with_blank_lines(
        kinds
            .iter()
            .map(|(resource, path)| lister_aliases(resource, path, &mut uses)),
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

fn lister_names(resource: &Resource) -> Vec<String> {
    let mut names = vec![format!("{}Lister", resource.kind)];
    if resource.is_namespaced() {
        names.push(format!("{}NamespaceLister", resource.kind));
    }
    names
}

fn lister_aliases(resource: &Resource, path: &str, uses: &mut Uses) -> String {
    let (kind, conditions) = (&resource.kind, cfg(&resource.cfg));
    let lister = uses.name(LISTER_MODULE, "Lister");
    let all = rust!(kind, conditions, lister, path => "
        /// Reads cached `$kind` objects.
        $conditions
        pub type $kindLister = $lister<$path>;
    ");
    if !resource.is_namespaced() {
        return all;
    }
    let namespace_lister = uses.name(LISTER_MODULE, "NamespaceLister");
    let one = rust!(kind, conditions, namespace_lister, path => "
        /// Reads the cached `$kind` objects of one namespace.
        $conditions
        pub type $kindNamespaceLister = $namespace_lister<$path>;
    ");
    join_with_blank_lines([all, one])
}
