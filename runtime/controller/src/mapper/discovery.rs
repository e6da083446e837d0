//! Discovery: the kinds that an API server serves.

use std::collections::HashMap;

use futures::future::try_join_all;
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    APIGroup, APIResource, APIResourceList,
};
use genclient::kube::core::ApiResource;
use genclient::kube::core::discovery::v2::{
    ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscovery, APIGroupDiscoveryList, APIResourceDiscovery,
    APIVersionDiscovery,
};
use genclient::kube::core::gvk::GroupVersion;
use genclient::kube::{self, Client};
use http::Request;
use http::header::ACCEPT;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::name::{LookupBy, TypeName};

/// A kind that an API server serves in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedKind {
    /// Group, version, kind and plural: the value that [`Watch::of`](crate::Watch::of) and
    /// [`Client::of`](crate::Client::of) take for a
    /// [`DynamicObject`](genclient::kube::core::DynamicObject).
    pub resource: ApiResource,
    /// The resource in the singular: `deployment`.
    pub singular: String,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// The supported verbs: `get`, `list`, `watch` …
    pub verbs: Vec<String>,
}

/// An API group with its kinds.
#[derive(Debug)]
pub(super) struct ServedGroup {
    /// The served versions, the preferred one first.
    pub(super) versions: Vec<ServedVersion>,
}

/// The kinds of a group in one version.
#[derive(Debug)]
pub(super) struct ServedVersion {
    pub(super) name: String,
    kinds: Vec<ServedKind>,
}

/// Response of `/api` or `/apis` to a request for aggregated discovery.
#[derive(Deserialize)]
#[serde(tag = "kind")]
enum DiscoveryRoot {
    APIGroupDiscoveryList(APIGroupDiscoveryList),
    /// Versions or groups without their kinds: the server does not support aggregated discovery.
    #[serde(other)]
    Names,
}

/// Returns every group below `/api` or `/apis`, by aggregated discovery (KEP-3352). Leaves out
/// groups with a stale version, because their API service does not answer. The map is empty if the
/// server does not support aggregated discovery.
pub(super) async fn discover_aggregated(
    client: &Client,
    is_core: bool,
) -> kube::Result<HashMap<String, ServedGroup>> {
    let path = if is_core { "/api" } else { "/apis" };
    let request = Request::get(path).header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2);
    let groups = match request_if_found(client, request).await? {
        Some(DiscoveryRoot::APIGroupDiscoveryList(list)) => list.items,
        Some(DiscoveryRoot::Names) | None => Vec::new(),
    };
    let is_fresh = |version: &APIVersionDiscovery| version.freshness.as_deref() != Some("Stale");
    let groups = groups
        .into_iter()
        .filter(|group| group.versions.iter().all(is_fresh));
    Ok(groups.map(ServedGroup::of_aggregated).collect())
}

/// Returns one group, by a request for its versions and one for each version; `None` if the group
/// is not served.
pub(super) async fn discover_group(
    client: &Client,
    name: &str,
) -> kube::Result<Option<ServedGroup>> {
    let Some(versions) = discover_versions(client, name).await? else {
        return Ok(None);
    };
    let kinds = versions
        .iter()
        .map(|version| discover_kinds(client, name, version));
    let versions: Vec<_> = try_join_all(kinds).await?.into_iter().flatten().collect();
    Ok((!versions.is_empty()).then_some(ServedGroup { versions }))
}

/// Returns the versions of a group, the preferred one first.
async fn discover_versions(client: &Client, group: &str) -> kube::Result<Option<Vec<String>>> {
    if group.is_empty() {
        return Ok(Some(client.list_core_api_versions().await?.versions));
    }
    let found: Option<APIGroup> =
        request_if_found(client, Request::get(format!("/apis/{group}"))).await?;
    Ok(found.map(|group| {
        let preferred = group.preferred_version.map(|it| it.version);
        let mut versions: Vec<_> = group.versions.into_iter().map(|it| it.version).collect();
        // The sort is stable: the other versions keep the server's order.
        versions.sort_by_key(|version| Some(version) != preferred.as_ref());
        versions
    }))
}

/// Returns the kinds of one version; `None` if the version is no longer served.
async fn discover_kinds(
    client: &Client,
    group: &str,
    version: &str,
) -> kube::Result<Option<ServedVersion>> {
    let path = match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    let list: Option<APIResourceList> = request_if_found(client, Request::get(path)).await?;
    Ok(list.map(|list| {
        let group_version = GroupVersion::gv(group, version);
        let resources = list.resources.into_iter();
        // Leaves out subresources, such as `pods/status`.
        let resources = resources.filter(|resource| !resource.name.contains('/'));
        ServedVersion {
            name: version.to_owned(),
            kinds: resources
                .map(|it| ServedKind::of_listed(&group_version, it))
                .collect(),
        }
    }))
}

/// Sends a request; `None` for 404.
async fn request_if_found<T: DeserializeOwned>(
    client: &Client,
    request: http::request::Builder,
) -> kube::Result<Option<T>> {
    let request = request.body(Vec::new()).map_err(kube::Error::HttpError)?;
    match client.request(request).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
        answer => answer.map(Some),
    }
}

impl ServedGroup {
    fn of_aggregated(group: APIGroupDiscovery) -> (String, Self) {
        let name = group
            .metadata
            .and_then(|meta| meta.name)
            .unwrap_or_default();
        let versions = group
            .versions
            .into_iter()
            .map(|version| {
                let group_version = GroupVersion::gv(&name, &version.version.unwrap_or_default());
                let kinds = version.resources.into_iter();
                ServedVersion {
                    kinds: kinds
                        .filter_map(|it| ServedKind::of_aggregated(&group_version, it))
                        .collect(),
                    name: group_version.version,
                }
            })
            .collect();
        (name, Self { versions })
    }

    /// Returns the kind in the requested version. Without a version, searches the preferred version
    /// first, then the others.
    pub(super) fn find(&self, name: &TypeName, by: LookupBy) -> Option<&ServedKind> {
        self.kinds(name).find(|kind| match by {
            LookupBy::Kind => kind.resource.kind == name.name,
            LookupBy::Resource => kind.resource.plural == name.name || kind.singular == name.name,
        })
    }

    /// Returns a name to suggest. There is one if `name` has the wrong case, or if it is a kind
    /// instead of a resource or vice versa.
    pub(super) fn similar(&self, name: &TypeName, by: LookupBy) -> Option<&str> {
        let mut kinds = self.kinds(name);
        let similar = kinds.find(|kind| {
            let names = [&kind.resource.kind, &kind.resource.plural, &kind.singular];
            names.iter().any(|it| it.eq_ignore_ascii_case(&name.name))
        });
        similar.map(|kind| match by {
            LookupBy::Kind => &*kind.resource.kind,
            LookupBy::Resource => &kind.resource.plural,
        })
    }

    fn kinds(&self, name: &TypeName) -> impl Iterator<Item = &ServedKind> {
        let wanted = name.version.as_ref();
        let versions = self
            .versions
            .iter()
            .filter(move |it| wanted.is_none_or(|wanted| it.name == *wanted));
        versions.flat_map(|version| &version.kinds)
    }
}

impl ServedKind {
    /// Returns `None` for an entry that has only subresources, and no kind.
    fn of_aggregated(group_version: &GroupVersion, found: APIResourceDiscovery) -> Option<Self> {
        let kind = found.response_kind?.kind?;
        Some(Self {
            resource: api_resource(group_version, kind, found.resource.unwrap_or_default()),
            singular: found.singular_resource.unwrap_or_default(),
            namespaced: found.scope.as_deref() == Some("Namespaced"),
            verbs: found.verbs,
        })
    }

    fn of_listed(group_version: &GroupVersion, found: APIResource) -> Self {
        Self {
            resource: api_resource(group_version, found.kind, found.name),
            singular: found.singular_name,
            namespaced: found.namespaced,
            verbs: found.verbs,
        }
    }
}

fn api_resource(group_version: &GroupVersion, kind: String, plural: String) -> ApiResource {
    ApiResource {
        group: group_version.group.clone(),
        version: group_version.version.clone(),
        api_version: group_version.api_version(),
        kind,
        plural,
    }
}
