//! Round trips of shapes through the API server: it stores serialized values unchanged, and stored
//! values deserialize.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use e2e::ControlPlane;
use e2e::suite::{Outcome, Suite};
use kube::api::Api;
use kube::core::{ApiResource, GroupVersionKind};
use libtest_mimic::Failed;
use oracle::each_shape;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::stored::Objects;
use crate::{generated, mutants};

/// Number of values that are stored for each shape.
const VALUES: usize = 4;
/// Number of mutants that are tried for each shape.
const MUTANTS: usize = 24;

/// Shapes with a string that has a format. The API server admits any list in its place.
const LISTS_ARE_TAKEN: &[&str] = &["instants", "conditions"];

pub fn tests(suite: &mut Suite) {
    macro_rules! add_all {
        ($($name:literal: $module:ident :: $shape:ident),* $(,)?) => {
            $(suite.both(concat!("api_server::", $name), async |plane: &_| {
                check::<oracle::shapes::$module::$shape>(plane, $name).await
            });)*
        };
    }
    each_shape!(add_all);
}

async fn check<T: Arbitrary + Serialize + DeserializeOwned + Debug>(
    plane: &ControlPlane,
    shape: &str,
) -> Outcome {
    let objects = install(plane).await?;
    let values = values::<T>()?;
    for (at, value) in values.iter().enumerate() {
        let name = format!("{}-{at}", shape.to_lowercase());
        objects
            .stores_unchanged(&name, &object(shape, value))
            .await?;
    }
    let mutants = values.first().map(mutants::of).unwrap_or_default();
    for mutant in mutants::some(mutants, MUTANTS) {
        if let Ok(stored) = objects.dry_run(&object(shape, &mutant)).await?
            && let Some(stored) = stored["spec"].get(shape)
            && let Err(error) = T::deserialize(stored)
            && !mutants::is_admitted_everywhere(&error)
            && !(LISTS_ARE_TAKEN.contains(&shape) && error.to_string().contains("sequence"))
        {
            return Err(
                format!("{mutant} is stored as {stored}, which is not read: {error}").into(),
            );
        }
    }
    Ok(())
}

fn values<T: Arbitrary + Serialize>() -> Result<Vec<Value>, Failed> {
    let mut runner = TestRunner::deterministic();
    let mut values = Vec::new();
    for _ in 0..VALUES {
        let tree = any::<T>()
            .new_tree(&mut runner)
            .map_err(|reason| reason.to_string())?;
        values.push(serde_json::to_value(tree.current())?);
    }
    Ok(values)
}

/// Installs the CRD, once for all tests of a server.
async fn install(plane: &ControlPlane) -> Result<Objects, Failed> {
    static INSTALLED: Mutex<BTreeMap<String, Arc<OnceCell<()>>>> = Mutex::new(BTreeMap::new());
    let server = plane.config().cluster_url.to_string();
    let installed = {
        let mut servers = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(servers.entry(server).or_default())
    };
    installed
        .get_or_try_init(async || {
            let (_, text) = generated::crd();
            let applied = plane.apply_crd(&text).await?;
            assert_eq!(applied.warnings, [""; 0]);
            Ok::<_, Failed>(())
        })
        .await?;
    let kind = GroupVersionKind::gvk("oracle.example.com", "v1", "Shape");
    let resource = ApiResource::from_gvk_with_plural(&kind, "shapes");
    Ok(Objects {
        api: Api::namespaced_with(plane.client(), "default", &resource),
        status: false,
    })
}

fn object(shape: &str, value: &Value) -> Value {
    json!({
        "apiVersion": "oracle.example.com/v1",
        "kind": "Shape",
        "spec": { shape: value },
    })
}
