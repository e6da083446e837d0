//! Admission webhooks: [`Defaulter`], [`Validator`], and [`Route`], which calls the webhooks of one
//! path.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::kube::Resource;
use genclient::panics::panic_message;
use genclient::scheme::Object;
use serde::de::DeserializeOwned;
use serde::{Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::denied::{Denied, Warnings};
use super::metrics::WebhookMetrics;
use super::patch::carry_changes;
use super::review::{Admission, AdmissionObjects, AdmissionResponse, AdmissionReview, Operation};

/// A mutating webhook that sets defaults in objects of a kind.
///
/// The webhook configuration decides which creations and updates call the defaulter. The API server
/// may call it several times for one request, so it has to be idempotent.
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
///     async fn set_defaults(
///         &self,
///         settings: &mut ConfigMap,
///         request: &Admission,
///     ) -> Result<(), Denied> {
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

    /// The path of the webhook. `None`: `/mutate-<group>-<version>-<kind>`.
    const PATH: Option<&'static str> = None;

    /// Sets missing fields of the object. Fields that the Rust type does not have are kept. They
    /// may be lost in items of a list that the defaulter changes, and if the Rust type reads a
    /// field under several names (serde's `alias`).
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
///     async fn validate(
///         &self,
///         change: Change<ConfigMap>,
///         _request: &Admission,
///     ) -> Result<Warnings, Denied> {
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

    /// The path of the webhook. `None`: `/validate-<group>-<version>-<kind>`.
    const PATH: Option<&'static str> = None;

    /// Checks whether the change is permitted. `CONNECT` requests, such as `kubectl exec`, are
    /// allowed without a call.
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

/// Change of an object that a [`Validator`] checks.
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
    /// The object is deleted. The value is the existing object.
    Delete(K),
}

/// The defaulters or the validators of one path.
#[derive(Default)]
pub(super) struct Route {
    pub(super) defaulters: Vec<Box<dyn AnyDefaulter>>,
    pub(super) validators: Vec<Box<dyn AnyValidator>>,
}

impl Route {
    /// Returns the response to a request. If a webhook panics, the request is denied with code 500.
    pub(super) async fn admit(
        &self,
        review: &AdmissionReview,
        metrics: &WebhookMetrics,
    ) -> AdmissionResponse {
        let mut warnings = Vec::new();
        let result = AssertUnwindSafe(self.call_webhooks(review, &mut warnings))
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| {
                metrics.panicked();
                let panic = panic_message(&*panic);
                Err(Denied::internal(format!("the webhook panicked: {panic}")))
            });
        let response = result.unwrap_or_else(|denied| {
            let status = denied.into_status(&review.admission);
            let (code, reason) = (status.code, status.message.as_deref());
            if code >= Some(500) {
                tracing::error!(code, reason, "webhook failed");
            } else {
                tracing::debug!(code, reason, "denied");
            }
            AdmissionResponse::denied(status)
        });
        response.with_warnings(warnings)
    }

    /// Calls the webhooks one after another, until one denies the request. Appends the warnings of
    /// the validators that allowed the request.
    async fn call_webhooks(
        &self,
        review: &AdmissionReview,
        warnings: &mut Vec<String>,
    ) -> Result<AdmissionResponse, Denied> {
        let patch = self.set_defaults(review).await?;
        for validator in &self.validators {
            let more = validator
                .validate(&review.objects, &review.admission)
                .await?;
            warnings.extend(Warnings::into_vec(more));
        }
        Ok(patch.map_or_else(AdmissionResponse::allowed, AdmissionResponse::patched))
    }

    /// Calls the defaulters for a creation or an update. Returns the JSON patch of their changes,
    /// or `None` without changes.
    async fn set_defaults(&self, review: &AdmissionReview) -> Result<Option<Vec<u8>>, Denied> {
        let is_of_object = matches!(
            review.admission.operation,
            Operation::Create | Operation::Update
        );
        if self.defaulters.is_empty() || !is_of_object {
            return Ok(None);
        }
        let sent: Value = decode_object(review.objects.object()?)?;
        let mut object = sent.clone();
        for defaulter in &self.defaulters {
            object = defaulter.set_defaults(object, &review.admission).await?;
        }
        let patch = json_patch::diff(&sent, &object);
        if patch.0.is_empty() {
            return Ok(None);
        }
        let patch = serde_json::to_vec(&patch);
        patch
            .map(Some)
            .map_err(|error| Denied::internal(error.to_string()))
    }
}

/// Type-erased [`Defaulter`].
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
            let mut object: D::Object = decode_object(&raw)?;
            let before = encode_object(&object)?;
            Defaulter::set_defaults(self, &mut object, request).await?;
            Ok(carry_changes::<D::Object>(
                raw,
                &before,
                &encode_object(&object)?,
            ))
        }
        .boxed()
    }
}

/// Type-erased [`Validator`].
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
                Operation::Create => Change::Create(decode_object(objects.object()?)?),
                Operation::Update => Change::Update {
                    old: decode_object(objects.old_object()?)?,
                    new: decode_object(objects.object()?)?,
                },
                Operation::Delete => Change::Delete(decode_object(objects.old_object()?)?),
                Operation::Connect => return Ok(Warnings::none()),
            };
            Validator::validate(self, change, request).await
        }
        .boxed()
    }
}

impl AdmissionObjects {
    fn object(&self) -> Result<&RawValue, Denied> {
        let object = self.object.as_deref();
        object.ok_or_else(|| Denied::bad_request("the request has no `object`"))
    }

    fn old_object(&self) -> Result<&RawValue, Denied> {
        let object = self.old_object.as_deref();
        object.ok_or_else(|| Denied::bad_request("the request has no `oldObject`"))
    }
}

/// Decodes an object of a kind. The error names the field that cannot be decoded.
fn decode_object<'a, K, D>(object: D) -> Result<K, Denied>
where
    K: DeserializeOwned,
    D: Deserializer<'a, Error: std::fmt::Display>,
{
    serde_path_to_error::deserialize(object)
        .map_err(|error| Denied::bad_request(format!("cannot decode the object: {error}")))
}

fn encode_object(object: &impl Serialize) -> Result<Value, Denied> {
    let json = serde_json::to_value(object);
    json.map_err(|error| Denied::internal(format!("cannot encode the object: {error}")))
}
