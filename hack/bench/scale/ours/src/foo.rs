//! The objects of the benchmark: Foos, each of which owns a ConfigMap with its name.

pub use bench_foo::{Foo, name};
use k8s_openapi::api::core::v1::ConfigMap;

/// Size of a ConfigMap's data in bytes.
const DATA: usize = 1000;

/// The namespaces and names of all objects.
#[derive(Clone, Copy, clap::Args)]
pub struct Objects {
    /// Number of Foos, each of which owns a ConfigMap
    pub objects: usize,
    /// Number of namespaces, over which the Foos are spread
    pub namespaces: usize,
}

impl Objects {
    /// Returns the namespace of an object.
    pub fn namespace(self, number: usize) -> String {
        namespace(number % self.namespaces)
    }
}

pub fn namespace(number: usize) -> String {
    format!("tenant-{number:03}")
}

pub fn foo(objects: Objects, number: usize) -> Foo {
    let mut object = Foo::default();
    object.metadata.namespace = Some(objects.namespace(number));
    object.metadata.name = Some(name(number));
    object.spec.deployment_name = format!("deploy-{number}");
    object.spec.replicas = Some(1);
    object
}

pub fn config_map(owner: &Foo) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.namespace = owner.metadata.namespace.clone();
    map.metadata.name = owner.metadata.name.clone();
    map.data = Some([("settings".to_owned(), "x".repeat(DATA))].into());
    map
}
