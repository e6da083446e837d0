//! Server-side apply: what is left out of its body, and what is filled in.

use kube::{Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{PatchParams, Result, TypedClient};

impl<K> TypedClient<K>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Send + 'static,
{
    /// Applies `object` by server-side apply: it is created if there is none, and of one that is there only the fields in
    /// `object` change.
    ///
    /// `object` may be a whole object or a part of one, say of `serde_json::json!`; `apiVersion` and `kind` are added if absent.
    /// Null members and `metadata.managedFields` are left out, since the API server would read the first as "set to null" and
    /// refuses the second; so an object that was read can be applied as it is.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; if `params` names no field manager; `Conflict` if another manager owns a field, unless
    /// `params.force`.
    pub async fn apply(
        &self,
        name: &str,
        object: &impl Serialize,
        params: &PatchParams,
    ) -> Result<K> {
        let body = with_types::<K>(object)?;
        self.apply_as(name, None, &body, params).await
    }

    /// Applies the status in `object`, which otherwise is as [`TypedClient::apply`] takes it.
    ///
    /// # Errors
    ///
    /// As [`TypedClient::apply`]; `NotFound` if there is no such object.
    pub async fn apply_status(
        &self,
        name: &str,
        object: &impl Serialize,
        params: &PatchParams,
    ) -> Result<K> {
        let body = with_types::<K>(object)?;
        self.apply_as(name, Some("status"), &body, params).await
    }
}

fn with_types<K: Resource<DynamicType = ()>>(object: &impl Serialize) -> Result<Value> {
    let mut body = serde_json::to_value(object).map_err(Error::SerdeError)?;
    if let Value::Object(members) = &mut body {
        let types = [("apiVersion", K::api_version(&())), ("kind", K::kind(&()))];
        for (member, value) in types {
            let found = members.entry(member).or_insert(Value::Null);
            if found.is_null() {
                *found = Value::from(value);
            }
        }
    }
    Ok(body)
}

/// The body of a server-side apply of `input`.
pub(super) fn apply_body(input: &(impl Serialize + ?Sized)) -> Result<Value> {
    let mut body = serde_json::to_value(input).map_err(Error::SerdeError)?;
    if let Some(Value::Object(metadata)) = body.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    remove_null_members(&mut body);
    Ok(body)
}

/// Null items of lists stay: removing one would move the others.
fn remove_null_members(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(remove_null_members);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_null_members),
        _ => {}
    }
}
