//! Checks that the API server stores an object unchanged.

use e2e::suite::Outcome;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use libtest_mimic::Failed;
use serde_json::{Value, json};

/// Line ends of YAML, in which applied objects are sent. A key with one of them would not be on one
/// line.
const LINE_ENDS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// Objects of one kind on the API server.
pub struct Objects {
    pub api: Api<DynamicObject>,
    /// Whether the kind has a status subresource.
    pub status: bool,
}

impl Objects {
    /// Creates the object, applies it under another name, and reads the first one. Each result must
    /// equal what was sent.
    pub async fn stores_unchanged(&self, name: &str, object: &Value) -> Outcome {
        let sent = named(name, object)?;
        let mut created = self
            .api
            .create(&PostParams::default(), &sent)
            .await
            .map_err(|error| format!("{object} is refused: {error}"))?;
        if self.status {
            created.data["status"] = sent.data["status"].clone();
            let params = PostParams::default();
            let updated = self.api.replace_status(name, &params, &created).await;
            created = updated.map_err(|error| format!("the status of {object}: {error}"))?;
        }
        same(&created, &sent, "as created")?;

        if !object.to_string().contains(LINE_ENDS) {
            let other = named(&format!("{name}-applied"), object)?;
            same(&self.apply(&other).await?, &sent, "as applied")?;
        }
        same(&self.api.get(name).await?, &sent, "as read back")
    }

    async fn apply(&self, object: &DynamicObject) -> Result<DynamicObject, Failed> {
        let params = PatchParams::apply("oracle").force();
        let name = object.metadata.name.as_deref().unwrap_or_default();
        let patch = Patch::Apply(object);
        let mut applied = self.api.patch(name, &params, &patch).await;
        if self.status && applied.is_ok() {
            applied = self.api.patch_status(name, &params, &patch).await;
        }
        applied.map_err(|error| format!("applied {}: {error}", object.data).into())
    }

    /// Returns what the API server would store, or why it rejects the object.
    pub async fn dry_run(&self, object: &Value) -> Result<Stored, Failed> {
        stored(
            self.api
                .create(&dry_run(), &named("dry-run", object)?)
                .await,
        )
    }

    /// Returns the same for the status of an existing object.
    pub async fn dry_run_status(&self, name: &str, object: &Value) -> Result<Stored, Failed> {
        let mut present = self.api.get(name).await?;
        present.data = named(name, object)?.data;
        stored(self.api.replace_status(name, &dry_run(), &present).await)
    }
}

/// An object as stored, or the message of the API server.
pub type Stored = Result<Value, String>;

fn dry_run() -> PostParams {
    PostParams {
        dry_run: true,
        ..PostParams::default()
    }
}

fn stored(answer: kube::Result<DynamicObject>) -> Result<Stored, Failed> {
    match answer {
        Ok(stored) => Ok(Ok(serde_json::to_value(stored)?)),
        Err(kube::Error::Api(status)) => Ok(Err(status.message)),
        Err(error) => Err(error.into()),
    }
}

fn named(name: &str, object: &Value) -> serde_json::Result<DynamicObject> {
    let mut object = object.clone();
    object["metadata"] = json!({ "name": name });
    serde_json::from_value(object)
}

fn same(stored: &DynamicObject, sent: &DynamicObject, when: &str) -> Outcome {
    let (stored, sent) = (whole(stored.data.clone()), whole(sent.data.clone()));
    if stored == sent {
        Ok(())
    } else {
        Err(format!("{when}: {sent} became {stored}").into())
    }
}

/// Turns floats without a fraction into integers, as which the API server stores them.
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
