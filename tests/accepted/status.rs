//! `HasSpec` and `HasStatus` of a cluster-scoped kind with these fields.
use genclient::kube::Resource;
use genclient::kube::core::ClusterResourceScope;
use genclient::kube::core::object::{HasSpec, HasStatus};
use genclient::prelude::*;

#[genclient(non_namespaced)]
#[group = "example.com"]
#[version = "v1beta1"]
#[crd(plural = "nodes-of-gpus")]
pub struct Node {
    pub metadata: ObjectMeta,
    pub spec: u8,
    pub status: Option<String>,
}

fn is_cluster<K: Resource<DynamicType = (), Scope = ClusterResourceScope>>() -> String {
    K::plural(&()).into_owned()
}

#[test]
fn spec_and_status_are_accessible() {
    let mut node = Node {
        metadata: ObjectMeta::default(),
        spec: 1,
        status: None,
    };
    *node.spec_mut() = 2;
    *node.status_mut() = Some("up".to_owned());
    node.meta_mut().name = Some("a".to_owned());
    assert_eq!(
        (node.spec(), node.status().map(String::as_str)),
        (&2, Some("up"))
    );
    assert_eq!(is_cluster::<Node>(), "nodes-of-gpus");
}
