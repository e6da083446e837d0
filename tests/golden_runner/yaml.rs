//! Check of generated YAML with two YAML parsers.

use std::fs;

use genclient_codegen::PolicyRule;
use libtest_mimic::Failed;
use serde_json::Value;

use crate::case::Case;

/// Checks that each CRD parses to the model, and that no line ends in a space.
pub fn check(case: &Case) -> Result<(), Failed> {
    webhooks(case)?;
    roles(case)?;
    for crd in case.model()?.crds {
        let file = case.expected().join("config/crd").join(crd.file_name());
        let text = fs::read_to_string(&file)?;
        if let Some(line) = text.lines().find(|line| line.ends_with([' ', '\t'])) {
            return Err(format!("{}: space at the end of {line:?}", file.display()).into());
        }
        let read: Value = serde_saphyr::from_str(&text)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let by_libyaml: Value =
            yaml_serde::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        equal("the whole", &by_libyaml, &read)?;
        let name = format!("{}.{}", crd.plural, crd.group);
        equal("name", &read["metadata"]["name"], &name.into())?;
        equal(
            "annotations",
            &read["metadata"]["annotations"],
            &or_null(serde_json::to_value(&crd.annotations)?),
        )?;
        let versions = read["spec"]["versions"].as_array();
        equal(
            "versions",
            &versions.map_or(0, Vec::len).into(),
            &crd.versions.len().into(),
        )?;
        for (found, version) in versions.into_iter().flatten().zip(&crd.versions) {
            let schema = serde_json::to_value(&version.schema)?;
            equal("schema", &found["schema"]["openAPIV3Schema"], &schema)?;
        }
    }
    Ok(())
}

/// Checks the webhook configurations, which are separate documents.
fn webhooks(case: &Case) -> Result<(), Failed> {
    let configurations = case.model()?.webhooks;
    let file = case.expected().join("config/webhook/manifests.yaml");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let documents: Vec<_> = text.split("---\n").skip(1).collect();
    equal(
        "documents",
        &documents.len().into(),
        &configurations.len().into(),
    )?;
    for (document, configuration) in documents.into_iter().zip(configurations) {
        let read: Value = serde_saphyr::from_str(document)?;
        let by_libyaml: Value = yaml_serde::from_str(document)?;
        equal("the whole", &by_libyaml, &read)?;
        equal(
            "name",
            &read["metadata"]["name"],
            &configuration.name.into(),
        )?;
        let names: Vec<_> = configuration.webhooks.iter().map(|one| &one.name).collect();
        let webhooks = read["webhooks"].as_array().into_iter().flatten();
        let found: Vec<_> = webhooks.map(|one| &one["name"]).collect();
        equal(
            "webhooks",
            &serde_json::json!(found),
            &serde_json::json!(names),
        )?;
    }
    Ok(())
}

/// Checks the roles, which are separate documents.
fn roles(case: &Case) -> Result<(), Failed> {
    let roles = case.model()?.roles;
    let file = case.expected().join("config/rbac/role.yaml");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let documents: Vec<_> = text.split("---\n").skip(1).collect();
    equal("documents", &documents.len().into(), &roles.len().into())?;
    for (document, role) in documents.into_iter().zip(roles) {
        let read: Value = serde_saphyr::from_str(document)?;
        let by_libyaml: Value = yaml_serde::from_str(document)?;
        equal("the whole", &by_libyaml, &read)?;
        let rules: Vec<_> = role.rules.iter().map(rule).collect();
        equal("rules", &read["rules"], &rules.into())?;
    }
    Ok(())
}

fn rule(rule: &PolicyRule) -> Value {
    let lists = [
        ("apiGroups", &rule.groups),
        ("nonResourceURLs", &rule.urls),
        ("resourceNames", &rule.names),
        ("resources", &rule.resources),
        ("verbs", &rule.verbs),
    ];
    let written = lists
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(key, list)| (key.to_owned(), list.iter().cloned().collect()));
    Value::Object(written.collect())
}

/// Returns null for an empty map, which is not written.
fn or_null(value: Value) -> Value {
    match value.as_object() {
        Some(map) if map.is_empty() => Value::Null,
        _ => value,
    }
}

fn equal(what: &str, found: &Value, meant: &Value) -> Result<(), Failed> {
    if found == meant {
        return Ok(());
    }
    Err(format!("{what}:\nread back: {found:#}\nmeant: {meant:#}").into())
}
