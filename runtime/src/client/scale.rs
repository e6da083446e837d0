//! The scale subresource.

use kube::Resource;

use super::{GetParams, PostParams, Result, Scale, TypedClient};

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
    /// See [`TypedClient`]; `Conflict` if `scale` has the `resourceVersion` of another version.
    pub async fn update_scale(
        &self,
        name: &str,
        scale: &Scale,
        params: &PostParams,
    ) -> Result<Scale> {
        self.update_as(name, Some("scale"), scale, params).await
    }
}
