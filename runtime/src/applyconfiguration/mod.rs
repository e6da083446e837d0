//! Apply configurations: the fields of an object that a field manager states by server-side apply.
//!
//! A Rust value of a kind states every required field, so its manager owns them all. An apply
//! configuration states only the fields that are set in it. `genclient update` generates those of a
//! package's own kinds if its Cargo.toml has `apply-configurations = true` in
//! `[package.metadata.genclient]`: `GPUTaskApply` for `GPUTask`.

pub(crate) mod body;
mod extract;
mod type_meta;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::scheme::Object;

pub use extract::{ExtractError, extract};
pub use type_meta::{ApiVersion, KindName};

/// Value that can be applied by server-side apply: an apply configuration, or a whole object.
///
/// A blanket implementation covers every kind. Generated apply configurations implement the trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an object nor an apply configuration of one",
    note = "`apply-configurations = true` in `[package.metadata.genclient]` generates `GPUTaskApply` for a kind `GPUTask`",
    note = "dereference an `Arc`: `&*object`"
)]
pub trait Applicable: Serialize + Send + Sync {
    /// The kind of the object.
    type Object: Object;

    /// Returns the metadata, which names the object.
    fn metadata(&self) -> &ObjectMeta;

    /// Returns the metadata, to change it.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;
}

#[diagnostic::do_not_recommend]
impl<K: Object + Serialize> Applicable for K {
    type Object = K;

    fn metadata(&self) -> &ObjectMeta {
        self.meta()
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        self.meta_mut()
    }
}

/// Apply configuration of a kind: a value that states some fields of one object, and is read back
/// from the fields that a manager has applied.
///
/// Generated code implements the trait. For a kind of Kubernetes, a program can implement it for
/// the fields that it applies:
///
/// ```
/// use genclient::applyconfiguration::{Applicable, ApiVersion, ApplyConfiguration, KindName};
/// use genclient::prelude::*;
/// use k8s_openapi::api::apps::v1::Deployment;
///
/// #[derive(Clone, Serialize, Deserialize)]
/// struct DeploymentApply {
///     #[serde(rename = "apiVersion")]
///     api_version: ApiVersion<Deployment>,
///     kind: KindName<Deployment>,
///     metadata: ObjectMeta,
///     #[serde(skip_serializing_if = "Option::is_none")]
///     spec: Option<DeploymentSpecApply>,
/// }
///
/// #[derive(Clone, Default, Serialize, Deserialize)]
/// struct DeploymentSpecApply {
///     #[serde(skip_serializing_if = "Option::is_none")]
///     replicas: Option<i32>,
/// }
///
/// impl Applicable for DeploymentApply {
///     type Object = Deployment;
///
///     fn metadata(&self) -> &ObjectMeta {
///         &self.metadata
///     }
///
///     fn metadata_mut(&mut self) -> &mut ObjectMeta {
///         &mut self.metadata
///     }
/// }
///
/// impl ApplyConfiguration for DeploymentApply {}
///
/// let web = DeploymentApply {
///     api_version: ApiVersion::default(),
///     kind: KindName::default(),
///     metadata: ObjectMeta {
///         name: Some("web".to_owned()),
///         ..ObjectMeta::default()
///     },
///     spec: Some(DeploymentSpecApply { replicas: Some(3) }),
/// };
/// let json = serde_json::to_value(&web)?;
/// assert_eq!(json["apiVersion"], "apps/v1");
/// assert_eq!(json["spec"], serde_json::json!({ "replicas": 3 }));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait ApplyConfiguration:
    Applicable<Object: Resource<DynamicType = ()>> + Clone + DeserializeOwned
{
    /// Returns whether the API server merges the struct at a path field by field and sets defaults
    /// in it. Each item of the path is the name of a field; items of lists are left out.
    /// [`extract`] returns such a struct as an empty one if the manager has applied no field of it:
    /// managed fields do not tell this from an atomic map that is owned with all its entries.
    ///
    /// May be true for every struct that is merged field by field. Where it is false for one, and
    /// the struct has nothing but empty sets and map lists, [`extract`] returns it with them. Since
    /// nobody owns such a list, an apply of the result gives up the struct, which the manager has
    /// applied as an empty one. Generated code is true for structs with defaults alone.
    fn is_granular(_path: &[&str]) -> bool {
        false
    }
}
