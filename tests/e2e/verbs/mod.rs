//! Tests of every verb of a generated client against the real API server, with the kinds of the
//! package `fixture`.

mod apply;
mod apply_configurations;
mod delete;
mod patch;
mod read;
mod scale;
mod write;

use e2e::ControlPlane;
use fixture::apis::v1::{Fleet, FleetSpec};
use fixture::client::clientset::Clientset;
use fixture::client::clientset::fixture::v1::Fleets;
use kube::Error;
use kube::api::{ObjectMeta, PostParams};
use libtest_mimic::Failed;
use serde_json::Value;

use crate::suite::Suite;

const FLEETS: &str = include_str!("../fixture/config/crd/fixture.example.com_fleets.yaml");
const SITES: &str = include_str!("../fixture/config/crd/fixture.example.com_sites.yaml");

pub(crate) fn tests(suite: &mut Suite) {
    write::tests(suite);
    read::tests(suite);
    patch::tests(suite);
    apply::tests(suite);
    apply_configurations::tests(suite);
    scale::tests(suite);
    delete::tests(suite);
}

/// A separate namespace, with a client of its Fleets.
struct Stage {
    clientset: Clientset,
    namespace: String,
    fleets: Fleets,
}

impl Stage {
    async fn new(plane: &ControlPlane) -> Result<Self, Failed> {
        plane.apply_crd(FLEETS).await?;
        let namespace = plane.create_namespace("verbs").await?;
        let clientset = Clientset::from(plane.client());
        Ok(Self {
            fleets: clientset.fixture_v1().fleets(&namespace),
            clientset,
            namespace,
        })
    }

    async fn create(&self, name: &str, change: impl FnOnce(&mut Fleet)) -> kube::Result<Fleet> {
        let mut fleet = fleet(name);
        change(&mut fleet);
        self.fleets.create(&fleet, &PostParams::default()).await
    }

    /// Returns an object as it is stored, with its nulls.
    async fn raw(&self, name: &str) -> Result<Value, Failed> {
        let namespace = &self.namespace;
        let path = format!("/apis/fixture.example.com/v1/namespaces/{namespace}/fleets/{name}");
        let request = http::Request::get(path).body(Vec::new())?;
        Ok(self.clientset.client().request(request).await?)
    }
}

fn fleet(name: &str) -> Fleet {
    Fleet {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: FleetSpec {
            replicas: 2,
            ..FleetSpec::default()
        },
        status: None,
    }
}

fn label(fleet: &mut Fleet, key: &str, value: &str) {
    let labels = fleet.metadata.labels.get_or_insert_default();
    labels.insert(key.to_owned(), value.to_owned());
}

/// Returns the code with which the API server refused a request.
fn refusal<T>(result: kube::Result<T>) -> Result<u16, String> {
    match result {
        Err(Error::Api(status)) => Ok(status.code),
        Err(error) => Err(format!("not refused by the API server: {error}")),
        Ok(_) => Err("not refused".to_owned()),
    }
}
