//! What serde writes the API server stores unchanged, and whatever it stores serde reads.

use std::fmt::Debug;

use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use oracle::each_shape;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tests::ControlPlane;
use tests::suite::{Outcome, Suite};
use tokio::sync::OnceCell;

use crate::{generated, mutants};

/// How many values of each shape are stored.
const VALUES: usize = 4;
/// How many changed ones of each are tried.
const MUTANTS: usize = 24;

/// Shapes with a format on a string, for which the API server takes a list, too, whatever is in it.
const LISTS_ARE_TAKEN: &[&str] = &["instants", "conditions"];

pub fn tests(suite: &mut Suite) {
    macro_rules! add_all {
        ($($name:literal: $module:ident :: $shape:ident),* $(,)?) => {
            $(suite.shared(concat!("api_server::", $name), async |plane| {
                check::<oracle::shapes::$module::$shape>(plane, $name).await
            });)*
        };
    }
    each_shape!(add_all);
}

async fn check<T: Arbitrary + Serialize + DeserializeOwned + Debug>(
    plane: &ControlPlane,
    name: &str,
) -> Outcome {
    let api = install(plane).await?;
    let values = {
        let mut runner = TestRunner::deterministic();
        let trees =
            (0..VALUES).map(|_| any::<T>().new_tree(&mut runner).map(|tree| tree.current()));
        trees
            .collect::<Result<Vec<_>, _>>()
            .map_err(|reason| reason.to_string())?
    };
    for (at, value) in values.iter().enumerate() {
        let written = serde_json::to_value(value)?;
        stored_unchanged(
            &api,
            &format!("{}-{at}", name.to_lowercase()),
            name,
            &written,
        )
        .await?;
    }
    let mutants = values
        .first()
        .map(|value| serde_json::to_value(value).map(|value| mutants::of(&value)));
    for mutant in mutants
        .transpose()?
        .unwrap_or_default()
        .into_iter()
        .take(MUTANTS)
    {
        if let Some(stored) = dry_run(&api, name, &mutant).await?
            && let Err(error) = serde_json::from_value::<T>(stored.clone())
            && !(LISTS_ARE_TAKEN.contains(&name) && error.to_string().contains("sequence"))
        {
            return Err(
                format!("{mutant} is stored as {stored}, which is not read: {error}").into(),
            );
        }
    }
    Ok(())
}

/// The definition, once for all tests.
async fn install(plane: &ControlPlane) -> Result<Api<DynamicObject>, libtest_mimic::Failed> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    INSTALLED
        .get_or_try_init(async || {
            let (_, text) = generated::crd();
            let applied = plane.apply_crd(&text).await?;
            assert_eq!(applied.warnings, [""; 0]);
            Ok::<_, libtest_mimic::Failed>(())
        })
        .await?;
    let kind = GroupVersionKind::gvk("oracle.example.com", "v1", "Shape");
    let resource = ApiResource::from_gvk_with_plural(&kind, "shapes");
    Ok(Api::namespaced_with(plane.client(), "default", &resource))
}

/// Floats without a fraction as integers, as which the API server stores them.
fn whole(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => {
            let float = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0);
            match float.and_then(|float| serde_json::from_str(&format!("{float:.0}")).ok()) {
                Some(integer) => integer,
                None => value,
            }
        }
        Value::Array(items) => items.drain(..).map(whole).collect(),
        Value::Object(members) => std::mem::take(members)
            .into_iter()
            .map(|(name, value)| (name, whole(value)))
            .collect(),
        _ => value,
    }
}

fn object(name: &str, shape: &str, value: &Value) -> Value {
    json!({
        "apiVersion": "oracle.example.com/v1",
        "kind": "Shape",
        "metadata": { "name": name },
        "spec": { shape: value },
    })
}

async fn stored_unchanged(
    api: &Api<DynamicObject>,
    name: &str,
    shape: &str,
    value: &Value,
) -> Outcome {
    let new: DynamicObject = serde_json::from_value(object(name, shape, value))?;
    let created = api
        .create(&PostParams::default(), &new)
        .await
        .map_err(|error| format!("{value}: {error}"))?;
    assert_eq!(
        whole(created.data["spec"][shape].clone()),
        whole(value.clone()),
        "as created"
    );
    let applied = object(&format!("{name}-applied"), shape, value);
    let params = PatchParams::apply("oracle").force();
    let applied = api
        .patch(&format!("{name}-applied"), &params, &Patch::Apply(&applied))
        .await
        .map_err(|error| format!("applied {value}: {error}"))?;
    assert_eq!(
        whole(applied.data["spec"][shape].clone()),
        whole(value.clone()),
        "as applied"
    );
    let read = api.get(name).await?;
    assert_eq!(
        whole(read.data["spec"][shape].clone()),
        whole(value.clone()),
        "as read back"
    );
    Ok(())
}

/// What would be stored; `None` if it is refused.
async fn dry_run(
    api: &Api<DynamicObject>,
    shape: &str,
    value: &Value,
) -> Result<Option<Value>, libtest_mimic::Failed> {
    let new: DynamicObject = serde_json::from_value(object("mutant", shape, value))?;
    let params = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    match api.create(&params, &new).await {
        Ok(stored) => Ok(stored.data["spec"].get(shape).cloned()),
        Err(kube::Error::Api(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
