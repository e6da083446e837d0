//! [`Defaulter`]: mutating webhooks that set defaults.

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::kube::Resource;
use genclient::scheme::Object;
use serde::Serialize;
use serde_json::Value;

use super::admission::Admission;
use super::denied::Denied;
use super::patch::carried;
use super::review::decode;

/// A mutating webhook that sets defaults in objects of a kind.
///
/// It is called when an object is created or updated, as its configuration says. The API server may
/// call it several times for one request, so it has to be idempotent.
///
/// ```
/// use genclient_controller::webhook::{Admission, Defaulter, Denied};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// struct TeamLabel;
///
/// impl Defaulter for TeamLabel {
///     type Object = ConfigMap;
///
///     async fn set_defaults(&self, settings: &mut ConfigMap, request: &Admission) -> Result<(), Denied> {
///         let team = request.namespace.clone().unwrap_or_default();
///         let labels = settings.metadata.labels.get_or_insert_default();
///         labels.entry("team".to_owned()).or_insert(team);
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a defaulter",
    label = "not a `Defaulter`",
    note = "write `impl Defaulter for {Self} {{ type Object = ..; async fn set_defaults(&self, object: &mut .., request: &Admission) -> Result<(), Denied> {{ .. }} }}`"
)]
pub trait Defaulter: Send + Sync + 'static {
    /// The kind of the objects.
    type Object: Object + Resource<DynamicType: Default> + Serialize;

    /// The path of the webhook, in place of `/mutate-<group>-<version>-<kind>`.
    const PATH: Option<&'static str> = None;

    /// Sets the fields that the object lacks. Fields that the type does not know stay as they are.
    ///
    /// # Errors
    ///
    /// [`Denied`] refuses the request.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the API server stops waiting, or when the program ends.
    fn set_defaults(
        &self,
        object: &mut Self::Object,
        request: &Admission,
    ) -> impl Future<Output = Result<(), Denied>> + Send;
}

/// A [`Defaulter`] of any kind.
pub(super) trait AnyDefaulter: Send + Sync {
    /// Returns the object with its defaults.
    fn set_defaults<'a>(
        &'a self,
        object: Value,
        request: &'a Admission,
    ) -> BoxFuture<'a, Result<Value, Denied>>;
}

impl<D: Defaulter> AnyDefaulter for D {
    fn set_defaults<'a>(
        &'a self,
        raw: Value,
        request: &'a Admission,
    ) -> BoxFuture<'a, Result<Value, Denied>> {
        async move {
            let mut object: D::Object = decode(&raw)?;
            let before = json(&object)?;
            Defaulter::set_defaults(self, &mut object, request).await?;
            Ok(carried::<D::Object>(raw, &before, &json(&object)?))
        }
        .boxed()
    }
}

fn json(object: &impl Serialize) -> Result<Value, Denied> {
    let json = serde_json::to_value(object);
    json.map_err(|error| Denied::internal(format!("the object cannot be written: {error}")))
}
