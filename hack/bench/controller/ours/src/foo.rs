//! The ConfigMap of an object.

pub use bench_foo::Foo;
use k8s_openapi::api::core::v1::ConfigMap;

/// Returns the ConfigMap that is created for an object.
pub fn config_map(object: &Foo, suffix: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.namespace = object.metadata.namespace.clone();
    let name = object.metadata.name.as_deref().unwrap_or_default();
    map.metadata.name = Some(format!("{name}-{suffix}"));
    map.data = Some([("deployment".to_owned(), object.spec.deployment_name.clone())].into());
    map
}
