//! Tests of discovery documents, compared with those of the API server (`hack/kinds/discovery.py`).

use genclient_apimachinery::version::storage_version_hash;
use genclient_apiserver::discovery::{
    self, AGGREGATED, ServedGroupVersion, ServedResource, ServedSubresource,
};
use genclient_builtins::kind;
use serde_json::Value;

const DOCUMENTS: &str = include_str!("../discovery/documents.jsonl");

fn widgets(version: &str, subresources: &[(&str, &str, &str, &str)]) -> ServedGroupVersion {
    let owned = |list: &str| list.split(' ').map(str::to_owned).collect();
    let subresource =
        |&(name, group, version, kind): &(&str, &str, &str, &str)| ServedSubresource {
            name: name.to_owned(),
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            verbs: owned("get patch update"),
        };
    ServedGroupVersion {
        group: "probe.dev".to_owned(),
        version: version.to_owned(),
        resources: vec![ServedResource {
            plural: "widgets".to_owned(),
            singular: "widget".to_owned(),
            kind: "Widget".to_owned(),
            response_group: "probe.dev".to_owned(),
            response_version: version.to_owned(),
            namespaced: true,
            short_names: owned("wd w"),
            categories: owned("all tools"),
            verbs: owned("delete deletecollection get list patch create update watch"),
            storage_hash: storage_version_hash("probe.dev", "v1", "Widget"),
            subresources: subresources.iter().map(subresource).collect(),
        }],
    }
}

fn discovery_document(served: &[ServedGroupVersion], path: &str, accept: &str) -> Option<Value> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let find = |group: &str, version: &str| {
        let mut found = served.iter();
        found.find(|served| served.group == group && served.version == version)
    };
    match (&*parts, accept) {
        (["version"], _) => serde_json::from_str(&kind::version_response()).ok(),
        (["api"], AGGREGATED) => Some(discovery::aggregated(served, true)),
        (["apis"], AGGREGATED) => Some(discovery::aggregated(served, false)),
        (["api"], _) => Some(discovery::api_versions(served, "ADDRESS")),
        (["apis"], _) => Some(discovery::group_list(served)),
        (["apis", group], _) => discovery::group(served, group),
        (["api", version], _) => find("", version).map(discovery::resource_list),
        (["apis", group, version], _) => find(group, version).map(discovery::resource_list),
        _ => None,
    }
}

#[test]
fn discovery_documents_match_kube_apiserver() {
    let subresources = [
        ("status", "probe.dev", "v1", "Widget"),
        ("scale", "autoscaling", "v1", "Scale"),
    ];
    let custom = vec![widgets("v1beta1", &[]), widgets("v1", &subresources)];
    let served = discovery::arranged(discovery::builtin(), custom);
    let mut compared = 0;
    for line in DOCUMENTS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (path, accept) = (
            case["path"].as_str().unwrap(),
            case["accept"].as_str().unwrap(),
        );
        let ours = discovery_document(&served, path, accept).unwrap_or_default();
        assert_eq!(ours, case["document"], "{path} {accept}");
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn etags_differ_between_documents() {
    let served = discovery::builtin();
    let [core, groups] = [true, false].map(|core| discovery::aggregated(&served, core));
    assert_eq!(discovery::etag(&core), discovery::etag(&core.clone()));
    assert_ne!(discovery::etag(&core), discovery::etag(&groups));
}
