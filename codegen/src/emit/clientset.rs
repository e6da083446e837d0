//! `clientset/`: typed clients.

use super::methods::Methods;
use super::names::{
    api_version, cfg, client_modules, common_cfg, ident, nested_version_modules, version_client,
};
use super::package::{PackageFiles, ResourceEntry, RustFile, doc_comments};
use super::uses::Uses;
use crate::model::{Group, Model, Resource, Version};
use crate::template::{join_with_blank_lines, rust};

/// Emits the clients. They take apply configurations if `has_apply`: the client module has those.
pub(super) fn emit(model: &Model, has_apply: bool, package: &mut PackageFiles<'_>) {
    emit_clientset(model, package);
    for (group, version) in model.versions() {
        emit_version_module(group, version, package);
    }
    for entry in model.resources() {
        emit_resource_module(entry, has_apply, package);
    }
}

/// Emits `clientset/mod.rs`.
fn emit_clientset(model: &Model, package: &mut PackageFiles<'_>) {
    let mut uses = Uses::new(["Clientset".to_owned()]);
    let client = uses.name("genclient::kube", "Client");
    let config = uses.name("genclient::kube", "Config");
    let versions = model.versions();
    let accessors = join_with_blank_lines(
        versions.map(|(group, version)| version_accessor(group, version, &mut uses)),
    );
    let items = rust!(client, config, accessors => "
        /// The clients of every group and version, over one connection pool.
        #[derive(Clone)]
        pub struct Clientset {
            client: $client,
        }

        impl Clientset {
            /// Connects with `config`.
            ///
            /// # Errors
            ///
            /// The configuration names a certificate, key or proxy that cannot be used.
            pub fn new(config: $config) -> genclient::client::Result<Self> {
                genclient::client::connect(config).map(Self::from)
            }

            /// Returns the untyped client behind these clients, for kinds without a typed client.
            pub fn client(&self) -> &$client {
                &self.client
            }

            $accessors
        }

        impl From<$client> for Clientset {
            fn from(client: $client) -> Self {
                Self { client }
            }
        }
    ");
    let source = RustFile {
        docs: vec!["Typed clients: [`Clientset`] leads to each of them.".to_owned()],
        modules: nested_version_modules(model),
        uses,
        items,
        ..RustFile::default()
    };
    package.rust("clientset/mod.rs", &source);
}

fn version_accessor(group: &Group, version: &Version, uses: &mut Uses) -> String {
    let common = common_cfg(&version.resources);
    let conditions = cfg(&common);
    // The group's module may end in an underscore, and rustc's `non_snake_case` lint rejects two
    // underscores in a row.
    let accessor = format!("{}_{}", group.module.trim_end_matches('_'), version.module);
    let client = version_client(group, version);
    let path = format!("self::{}::{}::{client}", group.module, version.module);
    let client = uses.import_kind(&path, &common);
    let version = api_version(group, version);
    rust!(version, conditions, accessor, client => "
        /// The clients of `$version`.
        $conditions
        pub fn $accessor(&self) -> $client {
            $client::new(self.client.clone())
        }
    ")
}

/// Emits `clientset/<group>/<version>/mod.rs`.
fn emit_version_module(group: &Group, version: &Version, package: &mut PackageFiles<'_>) {
    let name = version_client(group, version);
    let mut uses = Uses::new([name.clone()]);
    let client = uses.name("genclient::kube", "Client");
    let (struct_name, title) = (ident(&name), api_version(group, version));
    let (modules, exports) = client_modules(version);
    let accessors = join_with_blank_lines(version.resources.iter().map(resource_accessor));
    let items = rust!(exports, title, struct_name, client, accessors => "
        $exports

        /// The clients of `$title`.
        #[derive(Clone)]
        pub struct $struct_name {
            client: $client,
        }

        impl $struct_name {
            /// Returns clients that send their requests through `client`.
            pub fn new(client: $client) -> Self {
                Self { client }
            }

            $accessors
        }
    ");
    let source = RustFile {
        docs: vec![format!("Clients of `{title}`.")],
        modules,
        uses,
        items,
        ..RustFile::default()
    };
    let file = format!("clientset/{}/{}/mod.rs", group.module, version.module);
    package.rust(&file, &source);
}

fn resource_accessor(resource: &Resource) -> String {
    let conditions = cfg(&resource.cfg);
    let accessor = ident(&resource.names.accessor);
    let (kind, client) = (&resource.kind, ident(&resource.names.client));
    if resource.is_namespaced() {
        let all = &resource.names.all;
        rust!(kind, conditions, accessor, client, all => "
            /// The client of the `$kind` objects in `namespace`.
            $conditions
            pub fn $accessor(&self, namespace: &str) -> $client {
                $client::new(self.client.clone(), namespace)
            }

            /// The client of the `$kind` objects in all namespaces.
            $conditions
            pub fn $all(&self) -> $client {
                $client::new(self.client.clone(), \"\")
            }
        ")
    } else {
        rust!(kind, conditions, accessor, client => "
            /// The client of the `$kind` objects.
            $conditions
            pub fn $accessor(&self) -> $client {
                $client::new(self.client.clone())
            }
        ")
    }
}

/// Emits `clientset/<group>/<version>/<kind>.rs`.
fn emit_resource_module(entry: ResourceEntry<'_>, has_apply: bool, package: &mut PackageFiles<'_>) {
    let (_, _, resource) = entry;
    let mut uses = Uses::new([resource.names.client.clone()]);
    let kind = uses.import_kind(&package.kinds.path(&resource.type_path), &[]);
    let configuration = resource
        .apply
        .as_ref()
        .filter(|_| has_apply)
        .map(|path| uses.import_kind(path, &[]));
    let mut methods = Methods {
        kind,
        configuration,
        kinds: package.kinds,
        uses,
    };
    let constructor = methods.constructor(resource);
    let mut calls: Vec<_> = resource
        .verbs
        .iter()
        .flat_map(|verb| methods.verb(*verb))
        .collect();
    calls.extend(resource.scale.then(|| methods.scale()));
    calls.extend(
        resource
            .methods
            .iter()
            .map(|method| methods.extension(method)),
    );
    let calls = join_with_blank_lines(calls);
    let typed_client = methods.name("TypedClient");
    let Methods { kind, uses, .. } = methods;
    let client = ident(&resource.names.client);
    let doc = doc_comments([client_doc(resource).as_str()]);
    let items = rust!(doc, client, typed_client, kind, constructor, calls => "
        $doc
        #[derive(Clone, Debug)]
        pub struct $client {
            client: $typed_client<$kind>,
        }

        impl $client {
            $constructor

            /// Returns the client behind these methods, for methods of your own.
            pub fn client(&self) -> &$typed_client<$kind> {
                &self.client
            }

            $calls
        }
    ");
    package.add_client_file(entry, uses, items);
}

fn client_doc(resource: &Resource) -> String {
    if resource.is_namespaced() {
        format!(
            "Calls the API server for the `{}` objects of one namespace, or of all.",
            resource.kind
        )
    } else {
        format!("Calls the API server for `{}` objects.", resource.kind)
    }
}
