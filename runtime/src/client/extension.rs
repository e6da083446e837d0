//! Verbs for subresources, and for bodies that are not objects of the kind. Generated extension
//! methods call them.
//!
//! kube's request builders append the name to the path of the collection, and only some of them can
//! append a subresource as well. So this module joins name and subresource, as in `train/scale`,
//! and passes the result as the name.

use kube::{Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::response::request_object;
use super::typed::add_verb;
use super::{GetParams, ListParams, Patch, PatchParams, PostParams, Result, Scale, TypedClient};
use crate::applyconfiguration::body::{escape_for_yaml, to_apply_body};

/// Verbs for extension methods.
///
/// If `subresource` is `None`, the verb applies to the object itself. If a list or create has no
/// `name` either, it applies to the collection. `R` is the type of the response, `I` the type of
/// the request body.
impl<K: Resource> TypedClient<K> {
    /// Reads an object or its subresource.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn get_as<R: DeserializeOwned + Send>(
        &self,
        name: &str,
        subresource: Option<&str>,
        params: &GetParams,
    ) -> Result<R> {
        let (request, last) = self.split(name, subresource)?;
        let request = add_verb(request.get(&last, params), "get")?;
        request_object(self.client(), request).await
    }

    /// Lists the collection. With `name` and `subresource`, reads a subresource that has the form
    /// of a list.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn list_as<R: DeserializeOwned + Send>(
        &self,
        name: Option<&str>,
        subresource: Option<&str>,
        params: &ListParams,
    ) -> Result<R> {
        let request = match name {
            Some(_) => self.object_request(name, subresource)?,
            None => self.request(None, subresource)?,
        };
        let request = add_verb(request.list(params), "list")?;
        request_object(self.client(), request).await
    }

    /// Posts `input` to the collection. With `name` and `subresource`, posts it to a subresource of
    /// that object.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn create_as<I: Serialize + ?Sized, R: DeserializeOwned + Send>(
        &self,
        name: Option<&str>,
        subresource: Option<&str>,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let body = serde_json::to_vec(input).map_err(Error::SerdeError)?;
        let request = self.object_request(name, subresource)?;
        let request = add_verb(request.create(params, body), "create")?;
        request_object(self.client(), request).await
    }

    /// Replaces an object or its subresource.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn update_as<I: Serialize + ?Sized, R: DeserializeOwned + Send>(
        &self,
        name: &str,
        subresource: Option<&str>,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let body = serde_json::to_vec(input).map_err(Error::SerdeError)?;
        let (request, last) = self.split(name, subresource)?;
        let request = add_verb(request.replace(&last, params, body), "update")?;
        request_object(self.client(), request).await
    }

    /// Patches an object or its subresource. Null fields of the patch are sent, too. In the body of
    /// a server-side apply, characters that YAML reads differently from JSON are escaped.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn patch_as<P: Serialize, R: DeserializeOwned + Send>(
        &self,
        name: &str,
        subresource: Option<&str>,
        patch: &Patch<P>,
        params: &PatchParams,
    ) -> Result<R> {
        let (request, last) = self.split(name, subresource)?;
        let mut request = add_verb(request.patch(&last, params, patch), "patch")?;
        if matches!(patch, Patch::Apply(_)) {
            let body = std::mem::take(request.body_mut());
            *request.body_mut() = escape_for_yaml(body);
        }
        request_object(self.client(), request).await
    }

    /// Applies `input` to an object or its subresource, by server-side apply. Null fields are left
    /// out, and so is `metadata.managedFields`, which the API server rejects.
    /// [`TypedClient::apply`] documents the field manager.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply`].
    pub async fn apply_as<I: Serialize + ?Sized, R: DeserializeOwned + Send>(
        &self,
        name: &str,
        subresource: Option<&str>,
        input: &I,
        params: &PatchParams,
    ) -> Result<R> {
        let patch = Patch::Apply(to_apply_body(input).map_err(Error::SerdeError)?);
        let mut params = params.clone();
        // An empty field manager in `params` would override that of `ClientBuilder`.
        params.field_manager.take_if(|manager| manager.is_empty());
        self.patch_as(name, subresource, &patch, &params).await
    }

    /// Returns a request builder for the collection, and the path below it, such as `train` or
    /// `train/scale`. The caller passes this path to kube's builder in place of a name.
    fn split(
        &self,
        name: &str,
        subresource: Option<&str>,
    ) -> Result<(kube::core::Request, String)> {
        let collection = self.object_request(None, None)?;
        let object = self.object_request(Some(name), subresource)?;
        let last = object.url_path[collection.url_path.len() + 1..].to_owned();
        Ok((collection, last))
    }
}

/// The scale subresource.
impl<K: Resource> TypedClient<K> {
    /// Reads the scale of an object.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn get_scale(&self, name: &str) -> Result<Scale> {
        self.get_as(name, Some("scale"), &GetParams::default())
            .await
    }

    /// Sets the scale of an object.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if `scale` has an outdated `resourceVersion`.
    pub async fn update_scale(
        &self,
        name: &str,
        scale: &Scale,
        params: &PostParams,
    ) -> Result<Scale> {
        self.update_as(name, Some("scale"), scale, params).await
    }
}
