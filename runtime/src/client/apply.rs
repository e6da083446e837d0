//! Server-side apply: the verbs.

use kube::{Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::path::invalid_request;
use super::{PatchParams, Result, TypedClient};
use crate::applyconfiguration::Applicable;

impl<K> TypedClient<K>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
{
    /// Applies `object` by server-side apply. If the object does not exist, it is created.
    /// Otherwise the fields in `object` are set. A field that the manager applied earlier and that
    /// `object` lacks is removed, unless another manager owns it.
    ///
    /// `object` may be a complete object or a part of one, for example from `serde_json::json!`.
    /// The API server requires `apiVersion`, `kind` and `metadata.name`, so they are added if
    /// absent. Null fields are left out, since the API server would set them to null.
    /// `metadata.managedFields` is left out, since the API server would reject it. So an object
    /// that was read can be applied unchanged. [`apply_with`](Self::apply_with) takes the name from
    /// an apply configuration.
    ///
    /// The field manager is taken from `params`, or else from the
    /// [connection](super::ClientBuilder::field_manager). If neither has one, it is the user agent
    /// up to the first `/`, as the API server sets it for other writes.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if another manager owns a field with another value, unless
    /// `params.force`; `Invalid` if `params` names no field manager and the connection was not made
    /// by [`builder`](super::builder) or [`connect`](super::connect).
    pub async fn apply(
        &self,
        name: &str,
        object: &impl Serialize,
        params: &PatchParams,
    ) -> Result<K> {
        let body = add_type_meta_and_name::<K>(self.types(), name, object)?;
        self.apply_as(name, None, &body, params).await
    }

    /// Applies the fields that `config` states to the object that it names. `config` is an apply
    /// configuration or a whole object; otherwise like [`apply`](Self::apply).
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply`]. The call also fails without a request if `config` has no name,
    /// or has another namespace than this client.
    pub async fn apply_with<A>(&self, config: &A, params: &PatchParams) -> Result<K>
    where
        A: Applicable<Object = K>,
    {
        let name = self.name_in_namespace(config)?;
        self.apply(name, config, params).await
    }

    /// Like [`TypedClient::apply`], but applies only the status, through the status subresource.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply`]; `NotFound` if the object does not exist.
    pub async fn apply_status(
        &self,
        name: &str,
        object: &impl Serialize,
        params: &PatchParams,
    ) -> Result<K> {
        let body = add_type_meta_and_name::<K>(self.types(), name, object)?;
        self.apply_as(name, Some("status"), &body, params).await
    }

    /// Applies the status that `config` states to the object that it names, through the status
    /// subresource. Of the other fields, only name, namespace, uid and resource version are sent,
    /// since the subresource does not ignore all of them: that of Pods changes labels, and that of
    /// a custom resource makes the manager the owner of fields beside `spec`.
    ///
    /// # Errors
    ///
    /// See [`apply_with`](Self::apply_with); `NotFound` if the object does not exist.
    pub async fn apply_status_with<A>(&self, config: &A, params: &PatchParams) -> Result<K>
    where
        A: Applicable<Object = K>,
    {
        let name = self.name_in_namespace(config)?;
        self.apply_status(name, &only_status(config)?, params).await
    }

    /// Returns the name of the object that `config` names, if it is one of this client's.
    fn name_in_namespace<'a>(&self, config: &'a impl Applicable) -> Result<&'a str> {
        let metadata = config.metadata();
        let is_set = |text: &&str| !text.is_empty();
        // The API server ignores the namespace of a cluster-scoped object.
        let own = self.namespace().filter(is_set);
        let other = metadata.namespace.as_deref().filter(is_set);
        if let (Some(own), Some(other)) = (own, other)
            && own != other
        {
            return Err(invalid_request(format!(
                "the apply configuration has the namespace `{other}`, this client `{own}`"
            )));
        }
        let name = metadata.name.as_deref().filter(is_set);
        name.ok_or_else(|| invalid_request("the apply configuration has no name"))
    }
}

/// Members of an object that an apply of its status has, and those of its metadata.
const STATUS_MEMBERS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];
const STATUS_METADATA: [&str; 4] = ["name", "namespace", "uid", "resourceVersion"];

/// Returns `config` as JSON, with its identity and its status alone.
fn only_status(config: &impl Serialize) -> Result<Value> {
    let mut body = serde_json::to_value(config).map_err(Error::SerdeError)?;
    if let Value::Object(members) = &mut body {
        members.retain(|member, _| STATUS_MEMBERS.contains(&member.as_str()));
        if let Some(Value::Object(metadata)) = members.get_mut("metadata") {
            metadata.retain(|member, _| STATUS_METADATA.contains(&member.as_str()));
        }
    }
    Ok(body)
}

/// Returns `object` as JSON, with `apiVersion`, `kind` and `metadata.name` added if absent.
fn add_type_meta_and_name<K: Resource>(
    types: &K::DynamicType,
    name: &str,
    object: &impl Serialize,
) -> Result<Value> {
    let mut body = serde_json::to_value(object).map_err(Error::SerdeError)?;
    if let Value::Object(members) = &mut body {
        set_if_absent(members, "apiVersion", || K::api_version(types).into());
        set_if_absent(members, "kind", || K::kind(types).into());
        set_if_absent(members, "metadata", || Value::Object(Map::new()));
    }
    if let Some(Value::Object(metadata)) = body.get_mut("metadata") {
        set_if_absent(metadata, "name", || name.into());
    }
    Ok(body)
}

fn set_if_absent(members: &mut Map<String, Value>, member: &str, value: impl FnOnce() -> Value) {
    let found = members.entry(member).or_insert(Value::Null);
    if found.is_null() {
        *found = value();
    }
}
