//! Tests of golden kinds against the API server: it stores unchanged what a type writes, and the
//! type reads what it stores.

use std::collections::BTreeMap;

use e2e::suite::{Outcome, Suite};
use e2e::{ControlPlane, eventually};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams};
use kube::core::{ApiResource, GroupVersionKind};
use libtest_mimic::Failed;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::exceptions;
use super::kinds::{self, Definition, Kind};
use crate::stored::Objects;
use crate::{from_schema, mutants};

/// Number of values that are stored for each kind.
const VALUES: usize = 2;
/// Number of mutants that are tried for each kind.
const MUTANTS: usize = 12;

/// Adds a test for each name of a CRD, since several cases may have a CRD of the same name.
pub fn tests(suite: &mut Suite) {
    let mut names: BTreeMap<String, Vec<Definition>> = BTreeMap::new();
    for definition in kinds::definitions() {
        let name = definition.name().to_owned();
        names.entry(name).or_default().push(definition);
    }
    for (name, definitions) in names {
        let name = format!("golden_api_server::{name}");
        suite.both(&name, async move |plane: &_| {
            let mut definitions = definitions.iter().peekable();
            while let Some(definition) = definitions.next() {
                check(plane, definition)
                    .await
                    .map_err(|failed| in_case(definition.case, &failed))?;
                if definitions.peek().is_some() {
                    remove(plane, definition).await?;
                }
            }
            Ok(())
        });
    }
}

fn in_case(case: &str, failed: &Failed) -> Failed {
    let message = failed.message().unwrap_or_default();
    format!("{case}: {message}").into()
}

async fn check(plane: &ControlPlane, definition: &Definition) -> Outcome {
    let applied = plane.apply_crd(&definition.text).await?;
    assert_eq!(applied.warnings, [""; 0]);
    let spec = &definition.value["spec"];
    // No webhook runs that could convert an object.
    let only_stored = spec["conversion"]["strategy"] == "Webhook";
    for kind in definition.kinds() {
        let can_be_stored = kind.served && (kind.storage || !only_stored);
        if can_be_stored && exceptions::has_values(&kind) {
            check_kind(&kind, &objects(plane, spec, &kind)).await?;
        }
    }
    Ok(())
}

async fn check_kind(kind: &Kind, objects: &Objects) -> Outcome {
    let mut first = None;
    for (at, value) in values(kind)?.iter().enumerate() {
        let mut stored = objects
            .dry_run(value)
            .await?
            .map_err(|reason| format!("{value} is refused: {reason}"))?;
        if kind.status {
            stored["status"] = value["status"].clone();
        }
        let written = (kind.rewrite)(&stored)
            .map_err(|error| format!("{stored} is stored and not read: {error}"))?;
        let written = exceptions::pruned(kind, written);
        let name = name(kind, at);
        objects.stores_unchanged(&name, &written).await?;
        first.get_or_insert(written);
    }
    let Some(first) = first else { return Ok(()) };
    for mutant in mutants::some(mutants::of(&first), MUTANTS) {
        check_mutant(kind, objects, &first, &mutant).await?;
    }
    Ok(())
}

/// Checks that the API server rejects a mutant, or that the type reads it.
async fn check_mutant(kind: &Kind, objects: &Objects, of: &Value, mutant: &Value) -> Outcome {
    let names = ["apiVersion", "kind"];
    if names.iter().any(|name| mutant.get(name) != of.get(name)) {
        return Ok(());
    }
    let stored = if kind.status && mutant.get("status") != of.get("status") {
        objects.dry_run_status(&name(kind, 0), mutant).await?
    } else {
        objects.dry_run(mutant).await?
    };
    let Ok(stored) = stored else { return Ok(()) };
    match (kind.rewrite)(&stored) {
        Err(error) if !exceptions::may_not_be_read(kind, of, mutant, &error) => {
            Err(format!("{mutant} is stored as {stored}, which is not read: {error}").into())
        }
        _ => Ok(()),
    }
}

fn name(kind: &Kind, at: usize) -> String {
    format!(
        "{}-{}-{at}",
        kind.case.replace(['_', '/'], "-"),
        kind.version
    )
}

fn values(kind: &Kind) -> Result<Vec<Value>, Failed> {
    let mut runner = TestRunner::deterministic();
    let values = from_schema::of(&exceptions::schema(kind));
    let tree = |_| values.new_tree(&mut runner).map(|tree| tree.current());
    let values: Result<_, _> = (0..VALUES).map(tree).collect();
    values.map_err(|reason| reason.to_string().into())
}

/// Deletes a CRD and waits until it is gone.
async fn remove(plane: &ControlPlane, definition: &Definition) -> Outcome {
    let definitions: Api<CustomResourceDefinition> = Api::all(plane.client());
    let name = definition.name();
    definitions.delete(name, &DeleteParams::default()).await?;
    eventually(&format!("{name} is gone"), async || {
        match definitions.get_opt(name).await {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err("still there".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    })
    .await?;
    Ok(())
}

fn objects(plane: &ControlPlane, spec: &Value, kind: &Kind) -> Objects {
    let gvk = GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind);
    let plural = spec["names"]["plural"].as_str().unwrap_or_default();
    let resource = ApiResource::from_gvk_with_plural(&gvk, plural);
    let client = plane.client();
    Objects {
        api: if spec["scope"] == "Namespaced" {
            Api::namespaced_with(client, "default", &resource)
        } else {
            Api::all_with(client, &resource)
        },
        status: kind.status,
    }
}
