//! Discovery documents: `/api`, `/apis` and the documents below them.
//!
//! Source: k8s.io/apiserver/pkg/endpoints/discovery. Each document is computed from
//! [`ServedGroupVersion`]s that [`arranged`] has sorted.

use std::cmp::Reverse;

use genclient_apimachinery::version::{storage_version_hash, version_order};
use genclient_builtins::kind::{self, BuiltinKind, BuiltinSubresource};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::kinds::{Kind, Kinds};

/// Media type of aggregated discovery.
pub const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Group version with its resources.
#[derive(Clone, Debug)]
pub struct ServedGroupVersion {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resources, in the order of the document.
    pub resources: Vec<ServedResource>,
}

/// Resource with its verbs, names and subresources.
#[derive(Clone, Debug)]
pub struct ServedResource {
    /// The plural name in paths.
    pub plural: String,
    /// The singular name.
    pub singular: String,
    /// The kind.
    pub kind: String,
    /// The group of the kind in aggregated discovery; empty for built-in kinds.
    pub response_group: String,
    /// The version of the kind in aggregated discovery; empty for built-in kinds.
    pub response_version: String,
    /// Whether the objects are namespaced.
    pub namespaced: bool,
    /// Short names.
    pub short_names: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// The verbs, in the order of the document.
    pub verbs: Vec<String>,
    /// The hash of the storage version ([`storage_version_hash`]), or empty.
    pub storage_hash: String,
    /// The subresources, in the order of the document.
    pub subresources: Vec<ServedSubresource>,
}

impl ServedResource {
    fn of(kind: &BuiltinKind) -> Self {
        let owned = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
        let subresource = |sub: &BuiltinSubresource| ServedSubresource {
            name: sub.name.to_owned(),
            group: sub.group.to_owned(),
            version: sub.version.to_owned(),
            kind: sub.kind.to_owned(),
            verbs: owned(&sub.verbs),
        };
        Self {
            plural: kind.plural.to_owned(),
            singular: kind.singular.to_owned(),
            kind: kind.kind.to_owned(),
            response_group: String::new(),
            response_version: String::new(),
            namespaced: kind.namespaced,
            short_names: owned(&kind.short_names),
            categories: owned(&kind.categories),
            verbs: owned(&kind.verbs),
            storage_hash: kind.storage_hash.to_owned(),
            subresources: kind.subresources.iter().map(subresource).collect(),
        }
    }
}

/// Subresource with its kind and verbs.
#[derive(Clone, Debug)]
pub struct ServedSubresource {
    /// The name in paths.
    pub name: String,
    /// The group of the subresource's kind. For built-in kinds, an empty `version` means that group
    /// and version are those of the resource.
    pub group: String,
    /// The version of the subresource's kind; see `group`.
    pub version: String,
    /// The subresource's kind.
    pub kind: String,
    /// The verbs, in the order of the document.
    pub verbs: Vec<String>,
}

/// Returns the group versions of all built-in kinds, as discovery needs them.
#[must_use]
pub fn builtin() -> Vec<ServedGroupVersion> {
    let mut out: Vec<ServedGroupVersion> = Vec::new();
    for kind in kind::all_kinds() {
        let same = |last: &&mut ServedGroupVersion| {
            last.group == kind.group && last.version == kind.version
        };
        let resource = ServedResource::of(kind);
        match out.last_mut().filter(same) {
            Some(last) => last.resources.push(resource),
            None => out.push(ServedGroupVersion {
                group: kind.group.to_owned(),
                version: kind.version.to_owned(),
                resources: vec![resource],
            }),
        }
    }
    out
}

impl ServedGroupVersion {
    fn api_version(&self) -> String {
        match &*self.group {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

/// Returns the built-in group versions followed by those of custom resources. Custom group versions
/// are sorted by group and [`version_order`], so that the preferred version of a group comes first.
#[must_use]
pub fn arranged(
    mut builtin: Vec<ServedGroupVersion>,
    mut custom: Vec<ServedGroupVersion>,
) -> Vec<ServedGroupVersion> {
    custom.sort_by_cached_key(|served| {
        (
            served.group.clone(),
            Reverse(version_order(&served.version)),
        )
    });
    builtin.extend(custom);
    builtin
}

/// Returns all group versions that a server serves.
pub(crate) fn served(kinds: &Kinds) -> Vec<ServedGroupVersion> {
    let mut versions: Vec<ServedGroupVersion> = Vec::new();
    for kind in kinds.all_custom() {
        let Some(resource) = served_resource(&kind) else {
            continue;
        };
        let same = |last: &&mut ServedGroupVersion| {
            last.group == kind.group() && last.version == kind.version
        };
        match versions.last_mut().filter(same) {
            Some(last) => last.resources.push(resource),
            None => versions.push(ServedGroupVersion {
                group: kind.group().to_owned(),
                version: kind.version.clone(),
                resources: vec![resource],
            }),
        }
    }
    arranged(builtin(), versions)
}

/// Returns the resource as discovery lists it, or `None` for a built-in kind.
fn served_resource(kind: &Kind) -> Option<ServedResource> {
    let custom = kind.custom()?;
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let subresource = |name: &str, group: &str, version: &str, own: &str| ServedSubresource {
        name: name.to_owned(),
        group: group.to_owned(),
        version: version.to_owned(),
        kind: own.to_owned(),
        verbs: owned(&["get", "patch", "update"]),
    };
    let status = subresource("status", kind.group(), &kind.version, &kind.kind);
    let scale = subresource("scale", "autoscaling", "v1", "Scale");
    let status = kind.has_status.then_some(status);
    let scale = custom.scale.is_some().then_some(scale);
    let verbs = if custom.is_terminating {
        owned(&["delete", "deletecollection", "get", "list", "watch"])
    } else {
        owned(&[
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "create",
            "update",
            "watch",
        ])
    };
    Some(ServedResource {
        plural: kind.plural().to_owned(),
        singular: custom.singular.clone(),
        kind: kind.kind.clone(),
        response_group: kind.group().to_owned(),
        response_version: kind.version.clone(),
        namespaced: kind.is_namespaced,
        short_names: custom.short_names.clone(),
        categories: custom.categories.clone(),
        verbs,
        storage_hash: storage_version_hash(kind.group(), &kind.version, &kind.kind),
        subresources: status.into_iter().chain(scale).collect(),
    })
}

/// Returns the paths of all discovery documents.
#[must_use]
pub fn paths(served: &[ServedGroupVersion]) -> Vec<String> {
    let mut paths: Vec<_> = ["/api", "/apis", "/apis/"].map(str::to_owned).into();
    for ServedGroupVersion { group, version, .. } in served {
        paths.extend(match &**group {
            "" => vec![format!("/api/{version}")],
            group => vec![format!("/apis/{group}"), format!("/apis/{group}/{version}")],
        });
    }
    paths
}

/// Returns the document at `/api`, which contains the server's `address`.
#[must_use]
pub fn api_versions(served: &[ServedGroupVersion], address: &str) -> Value {
    let core = served.iter().filter(|served| served.group.is_empty());
    let versions: Vec<_> = core.map(|served| &served.version).collect();
    json!({
        "kind": "APIVersions",
        "versions": versions,
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// Returns the document at `/apis`.
#[must_use]
pub fn group_list(served: &[ServedGroupVersion]) -> Value {
    let groups: Vec<_> = groups(served)
        .filter(|group| !group[0].group.is_empty())
        .map(|group| Value::Object(group_members(group)))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// Returns the document at `/apis/GROUP`, or `None` if the group is not served.
#[must_use]
pub fn group(served: &[ServedGroupVersion], name: &str) -> Option<Value> {
    let group = groups(served).find(|group| group[0].group == name)?;
    let mut members = group_members(group);
    members.insert("kind".to_owned(), "APIGroup".into());
    members.insert("apiVersion".to_owned(), "v1".into());
    Some(Value::Object(members))
}

/// Splits a list of group versions into one part for each group.
fn groups(served: &[ServedGroupVersion]) -> impl Iterator<Item = &[ServedGroupVersion]> {
    served.chunk_by(|a, b| a.group == b.group)
}

fn group_members(group: &[ServedGroupVersion]) -> Map<String, Value> {
    let version = |served: &ServedGroupVersion| json!({"groupVersion": served.api_version(), "version": served.version});
    let mut members = Map::new();
    let name = group
        .first()
        .map(|first| first.group.clone())
        .unwrap_or_default();
    members.insert("name".to_owned(), name.into());
    let versions: Vec<Value> = group.iter().map(version).collect();
    let preferred = versions.first().cloned().unwrap_or_default();
    members.insert("versions".to_owned(), versions.into());
    members.insert("preferredVersion".to_owned(), preferred);
    members
}

/// Returns the document at `/api/v1` or `/apis/GROUP/VERSION`.
#[must_use]
pub fn resource_list(served: &ServedGroupVersion) -> Value {
    let mut resources = Vec::new();
    for resource in &served.resources {
        resources.push(listed(resource));
        for sub in &resource.subresources {
            resources.push(listed_subresource(served, resource, sub));
        }
    }
    let mut list = json!({
        "kind": "APIResourceList",
        "groupVersion": served.api_version(),
        "resources": resources,
    });
    if !served.group.is_empty() {
        list["apiVersion"] = "v1".into();
    }
    list
}

fn listed(resource: &ServedResource) -> Value {
    let mut out = json!({
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": resource.verbs,
    });
    set(&mut out, "shortNames", &resource.short_names);
    set(&mut out, "categories", &resource.categories);
    if !resource.storage_hash.is_empty() {
        out["storageVersionHash"] = resource.storage_hash.clone().into();
    }
    out
}

fn listed_subresource(
    served: &ServedGroupVersion,
    resource: &ServedResource,
    sub: &ServedSubresource,
) -> Value {
    let mut out = json!({
        "name": format!("{}/{}", resource.plural, sub.name),
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": sub.kind,
        "verbs": sub.verbs,
    });
    let is_own = sub.group == served.group && sub.version == served.version;
    if !sub.version.is_empty() && !is_own {
        out["group"] = sub.group.clone().into();
        out["version"] = sub.version.clone().into();
    }
    out
}

fn set(out: &mut Value, name: &str, list: &[String]) {
    if !list.is_empty() {
        out[name] = json!(list);
    }
}

/// Returns the document of aggregated discovery at `/api` if `core` is true, otherwise the document
/// at `/apis`. Both are for clients that accept [`AGGREGATED`].
#[must_use]
pub fn aggregated(served: &[ServedGroupVersion], core: bool) -> Value {
    let groups = groups(served).filter(|group| group[0].group.is_empty() == core);
    let items: Vec<Value> = groups.map(aggregated_group).collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

fn aggregated_group(group: &[ServedGroupVersion]) -> Value {
    let versions: Vec<Value> = group.iter().map(aggregated_version).collect();
    let metadata = match group.first() {
        Some(first) if !first.group.is_empty() => json!({"name": first.group}),
        _ => json!({}),
    };
    json!({"metadata": metadata, "versions": versions})
}

fn aggregated_version(served: &ServedGroupVersion) -> Value {
    let resources: Vec<Value> = served.resources.iter().map(aggregated_resource).collect();
    json!({"version": served.version, "resources": resources, "freshness": "Current"})
}

fn aggregated_resource(resource: &ServedResource) -> Value {
    let mut out = json!({
        "resource": resource.plural,
        "responseKind": {
            "group": resource.response_group,
            "version": resource.response_version,
            "kind": resource.kind,
        },
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular,
        "verbs": resource.verbs,
    });
    set(&mut out, "shortNames", &resource.short_names);
    set(&mut out, "categories", &resource.categories);
    if !resource.subresources.is_empty() {
        let subresources = resource.subresources.iter().map(|sub| {
            json!({
                "subresource": sub.name,
                "responseKind": {"group": sub.group, "version": sub.version, "kind": sub.kind},
                "verbs": sub.verbs,
            })
        });
        out["subresources"] = subresources.collect();
    }
    out
}

/// Returns the `ETag` of a document of aggregated discovery: the SHA-256 digest of the document, in
/// quotes. A request with this `ETag` in `If-None-Match` gets 304. kube-apiserver uses SHA-512, so
/// its `ETag`s differ.
#[must_use]
pub fn etag(document: &Value) -> String {
    let digest = Sha256::digest(document.to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("\"{hex}\"")
}
