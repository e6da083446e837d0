//! Tests of kinds that are looked up at run time.

use super::*;

pub(super) fn tests(suite: &mut Suite) {
    suite.both(
        "controller::kinds_are_looked_up_at_run_time",
        kinds_are_looked_up_at_run_time,
    );
}

/// A kind that is installed while the program runs, with aggregated discovery and without it.
async fn kinds_are_looked_up_at_run_time(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("mapper").await?;
    let manager = Manager::builder("mapper").client(plane.client());
    let client = manager.build().await?.client();
    let mapper = client.mapper();
    for (name, api_version, plural, namespaced) in [
        ("ConfigMap", "v1", "configmaps", true),
        ("Deployment.apps", "apps/v1", "deployments", true),
        ("Node.v1", "v1", "nodes", false),
        (
            "Lease.coordination.k8s.io",
            "coordination.k8s.io/v1",
            "leases",
            true,
        ),
    ] {
        let kind = mapper.kind(name).await?;
        assert_eq!(kind.resource.api_version, api_version);
        assert_eq!(
            (&*kind.resource.plural, kind.namespaced),
            (plural, namespaced)
        );
        let resource = kind.resource;
        let by_resource = format!(
            "{}.{}.{}",
            resource.plural, resource.version, resource.group
        );
        assert_eq!(mapper.resource(&by_resource).await?.resource, resource);
        // The endpoints of the group give the same answer.
        mapper.forget(&resource.group);
        assert_eq!(mapper.kind(name).await?.resource, resource);
    }
    let missing = mapper.kind("Rider.mapper.example.com").await;
    assert!(missing.is_err_and(|error| error.is_not_served()));
    let definition = serde_json::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "riders.mapper.example.com" },
        "spec": {
            "group": "mapper.example.com", "scope": "Namespaced",
            "names": { "kind": "Rider", "plural": "riders", "singular": "rider" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    }))?;
    let definitions = mapper.kind("CustomResourceDefinition.apiextensions.k8s.io");
    let definitions = client.of::<DynamicObject>(definitions.await?.resource);
    definitions.create(&definition).await?;
    let riders = eventually("the kind", async || {
        let found = mapper.kind("Rider.mapper.example.com").await;
        found.map_err(|error| error.to_string())
    })
    .await?
    .resource;
    let rider = DynamicObject::new("one", &riders).within(&namespace);
    let created = client.of::<DynamicObject>(riders).create(&rider).await?;
    assert!(created.metadata.uid.is_some());
    Ok(definitions.delete(&definition).await?)
}
