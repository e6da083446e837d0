//! Samples of built-in kinds: the API server accepts each one that `create api` writes.

use genclient_apiserver::ApiServer;
use kube::discovery::{Discovery, verbs};

use super::written::Written;

/// Groups whose types are not in `k8s_openapi::api`.
const OTHERS: [&str; 2] = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

#[tokio::test]
async fn samples_of_all_kinds_are_accepted_by_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let init = "init --domain example.com --project-name samples".to_owned();
    let project = Written::new(folder.path(), &[init]);
    let kinds = kinds().await;
    assert!(kinds.len() > 40, "{kinds:?}");
    for (group, version, kind) in kinds {
        let names = format!("--group {group} --version {version} --kind {kind}");
        let output = project.type_in(&format!("create api {names} --resource=false"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{names}\n{said}");
    }
    let samples = folder.path().join("config/samples");
    // One at a time, since both groups of events store the same objects.
    for sample in std::fs::read_dir(samples).unwrap() {
        let server = ApiServer::builder().manifests(sample.unwrap().path());
        let built = server.build().map(drop).map_err(|error| error.to_string());
        assert_eq!(built, Ok(()));
    }
}

/// Group, version and kind of objects that the server can create and list.
async fn kinds() -> Vec<(String, String, String)> {
    let server = ApiServer::builder().build().unwrap();
    let discovery = Discovery::new(server.client()).exclude(&OTHERS);
    let discovery = discovery.run().await.unwrap();
    let resources = discovery
        .groups()
        .flat_map(|group| group.recommended_resources());
    let stored = resources.filter(|(_, able)| {
        able.supports_operation(verbs::CREATE) && able.supports_operation(verbs::LIST)
    });
    let kinds = stored.map(|(resource, _)| {
        let group = match resource.group.as_str() {
            "" => "core",
            group => group,
        };
        (group.to_owned(), resource.version, resource.kind)
    });
    kinds.collect()
}
