//! [`Validator`]: validating webhooks, which refuse invalid objects.

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::kube::Resource;
use genclient::scheme::Object;

use super::admission::{Admission, Operation};
use super::denied::{Denied, Warnings};
use super::review::{AdmissionObjects, decode};

/// A validating webhook, which refuses invalid objects of a kind.
///
/// ```
/// use genclient_controller::webhook::{Admission, Change, Denied, FieldError, Validator, Warnings};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// struct FrozenData;
///
/// impl Validator for FrozenData {
///     type Object = ConfigMap;
///
///     async fn validate(&self, change: Change<ConfigMap>, _request: &Admission) -> Result<Warnings, Denied> {
///         match change {
///             Change::Update { old, new } if old.data != new.data => {
///                 Err(Denied::invalid([FieldError::immutable("data", &new.data)]))
///             }
///             _ => Ok(Warnings::none()),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a validator",
    label = "not a `Validator`",
    note = "write `impl Validator for {Self} {{ type Object = ..; async fn validate(&self, change: Change<..>, request: &Admission) -> Result<Warnings, Denied> {{ .. }} }}`"
)]
pub trait Validator: Send + Sync + 'static {
    /// The kind of the objects.
    type Object: Object + Resource<DynamicType: Default>;

    /// The path of the webhook, in place of `/validate-<group>-<version>-<kind>`.
    const PATH: Option<&'static str> = None;

    /// Checks whether the change is permitted. A connection, such as `kubectl exec`, is allowed
    /// without a call.
    ///
    /// # Errors
    ///
    /// [`Denied`] refuses the request.
    ///
    /// # Cancel safety
    ///
    /// As for [`Defaulter::set_defaults`](super::Defaulter::set_defaults).
    fn validate(
        &self,
        change: Change<Self::Object>,
        request: &Admission,
    ) -> impl Future<Output = Result<Warnings, Denied>> + Send;
}

/// Change of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<K> {
    /// The object is created.
    Create(K),
    /// The object is updated or patched.
    Update {
        /// The existing object.
        old: K,
        /// The new object.
        new: K,
    },
    /// The object is deleted: the existing object.
    Delete(K),
}

/// A [`Validator`] of any kind.
pub(super) trait AnyValidator: Send + Sync {
    fn validate<'a>(
        &'a self,
        objects: &'a AdmissionObjects,
        request: &'a Admission,
    ) -> BoxFuture<'a, Result<Warnings, Denied>>;
}

impl<V: Validator> AnyValidator for V {
    fn validate<'a>(
        &'a self,
        objects: &'a AdmissionObjects,
        request: &'a Admission,
    ) -> BoxFuture<'a, Result<Warnings, Denied>> {
        async move {
            let change = match request.operation {
                Operation::Create => Change::Create(decode(objects.object()?)?),
                Operation::Update => Change::Update {
                    old: decode(objects.old_object()?)?,
                    new: decode(objects.object()?)?,
                },
                Operation::Delete => Change::Delete(decode(objects.old_object()?)?),
                Operation::Connect => return Ok(Warnings::none()),
            };
            Validator::validate(self, change, request).await
        }
        .boxed()
    }
}
