//! Fake API server with discovery, aggregated or unaggregated.

use std::collections::BTreeMap;
use std::convert::Infallible;

use genclient::kube::Client;
use genclient::kube::client::Body;
use genclient_controller::Mapper;
use http::{Request, Response};

use super::*;

/// Fake API server with discovery. Clones share it.
#[derive(Clone)]
pub(crate) struct Discovery {
    pub(crate) is_aggregated: bool,
    /// The delay of each response.
    pub(crate) delay: Duration,
    pub(crate) state: Arc<Mutex<Served>>,
}

#[derive(Default)]
pub(crate) struct Served {
    /// Versions and their kinds, by group. The preferred version is first.
    groups: BTreeMap<&'static str, Vec<(&'static str, Vec<&'static str>)>>,
    /// Groups whose API service is down.
    pub(crate) down: Vec<&'static str>,
    requests: Vec<String>,
}

impl Discovery {
    pub(crate) fn new(is_aggregated: bool) -> Self {
        let served = Served {
            groups: BTreeMap::from([
                ("", vec![("v1", vec!["Pod", "Node"])]),
                ("apps", vec![("v1", vec!["Deployment"])]),
                ("networking.k8s.io", vec![("v1", vec!["Net"])]),
                ("policy", vec![("v1", vec!["Budget"])]),
                (
                    "crew.example.com",
                    vec![("v2", vec!["Driver"]), ("v1", vec!["Driver", "Guard"])],
                ),
            ]),
            ..Served::default()
        };
        Self {
            is_aggregated,
            delay: Duration::ZERO,
            state: Arc::new(Mutex::new(served)),
        }
    }

    pub(crate) fn serve(&self, group: &'static str, versions: &[(&'static str, &[&'static str])]) {
        let versions = versions
            .iter()
            .map(|(version, kinds)| (*version, kinds.to_vec()));
        let mut state = self.state.lock().unwrap();
        state.groups.insert(group, versions.collect());
    }

    /// Returns the requests since the last call of this method.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }

    pub(crate) fn client(&self) -> Client {
        let discovery = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let discovery = discovery.clone();
            async move {
                let answer = discovery.answer(&request);
                tokio::time::sleep(discovery.delay).await;
                Ok::<_, Infallible>(answer)
            }
        });
        Client::new(service, "default")
    }

    pub(crate) async fn mapper(&self) -> Mapper {
        let manager = Manager::builder("tests").client(self.client());
        manager.build().await.unwrap().client().mapper().clone()
    }

    fn answer(&self, request: &Request<Body>) -> Response<Body> {
        let path = request.uri().path();
        let mut state = self.state.lock().unwrap();
        state.requests.push(path.to_owned());
        let accepts = request.headers().get(http::header::ACCEPT);
        let is_aggregated = self.is_aggregated
            && accepts.is_some_and(|it| it.to_str().unwrap().contains("as=APIGroupDiscoveryList"));
        let segments: Vec<_> = path.trim_matches('/').split('/').collect();
        let answer = match segments[..] {
            ["api" | "apis"] if is_aggregated => Some(state.aggregated(path == "/api")),
            ["api"] => Some(
                json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [] }),
            ),
            ["apis"] => Some(json!({ "kind": "APIGroupList", "groups": [] })),
            ["apis", group] => state.group(group),
            ["api", version] => state.version("", version),
            ["apis", group, version] if !state.down.contains(&group) => {
                state.version(group, version)
            }
            _ => return status_response(503),
        };
        answer.map_or_else(
            || status_response(404),
            |answer| Response::new(answer.to_string().into_bytes().into()),
        )
    }
}

impl Served {
    fn aggregated(&self, is_core: bool) -> Value {
        let groups = self
            .groups
            .iter()
            .filter(|(name, _)| name.is_empty() == is_core)
            .map(|(name, versions)| {
                let freshness = if self.down.contains(name) {
                    "Stale"
                } else {
                    "Current"
                };
                let versions = versions.iter().map(|(version, kinds)| {
                    json!({
                        "version": version, "freshness": freshness,
                        "resources": kinds.iter().map(|kind| json!({
                            "resource": plural(kind), "singularResource": kind.to_lowercase(),
                            "responseKind": { "group": name, "version": version, "kind": kind },
                            "scope": if *kind == "Node" { "Cluster" } else { "Namespaced" },
                            "verbs": ["get"],
                        })).collect::<Vec<_>>(),
                    })
                });
                json!({ "metadata": { "name": name }, "versions": versions.collect::<Vec<_>>() })
            });
        json!({ "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
                "metadata": {}, "items": groups.collect::<Vec<_>>() })
    }

    fn group(&self, name: &str) -> Option<Value> {
        let versions = self.groups.get(name)?.iter();
        let of = |version: &str| json!({ "groupVersion": format!("{name}/{version}"), "version": version });
        let mut versions: Vec<_> = versions.map(|(version, _)| of(version)).collect();
        let preferred = versions[0].clone();
        versions.reverse();
        Some(
            json!({ "kind": "APIGroup", "name": name, "versions": versions, "preferredVersion": preferred }),
        )
    }

    fn version(&self, group: &str, version: &str) -> Option<Value> {
        let mut versions = self.groups.get(group)?.iter();
        let (_, kinds) = versions.find(|(name, _)| *name == version)?;
        let kinds = kinds.iter().flat_map(|kind| {
            let resource = |name: String| {
                json!({
                    "name": name, "singularName": kind.to_lowercase(), "kind": kind,
                    "namespaced": *kind != "Node", "verbs": ["get"],
                })
            };
            [resource(plural(kind)), resource(plural(kind) + "/status")]
        });
        Some(
            json!({ "kind": "APIResourceList", "groupVersion": format!("{group}/{version}"), "resources": kinds.collect::<Vec<_>>() }),
        )
    }
}

fn plural(kind: &str) -> String {
    kind.to_lowercase() + "s"
}

fn status_response(code: u16) -> Response<Body> {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                         "message": "told to", "reason": if code == 404 { "NotFound" } else { "ServiceUnavailable" } });
    let answer = Response::builder().status(code);
    answer.body(status.to_string().into_bytes().into()).unwrap()
}
