//! [`Route`]: the defaulters and validators of one path.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use serde_json::Value;

use super::admission::Operation;
use super::defaulter::AnyDefaulter;
use super::denied::{Denied, Warnings};
use super::meter::Meter;
use super::review::{AdmissionReview, Verdict};
use super::validator::AnyValidator;
use crate::failure::panic_message;

/// The defaulters or the validators of one path.
#[derive(Default)]
pub(super) struct Route {
    pub(super) defaulters: Vec<Box<dyn AnyDefaulter>>,
    pub(super) validators: Vec<Box<dyn AnyValidator>>,
}

impl Route {
    /// Returns the verdict on a request. A webhook that panics fails with 500.
    pub(super) async fn verdict(&self, review: &AdmissionReview, meter: &Meter) -> Verdict {
        let mut warnings = Vec::new();
        let asked = AssertUnwindSafe(self.ask(review, &mut warnings));
        let asked = asked.catch_unwind().await;
        let asked = asked.unwrap_or_else(|panic| {
            meter.panicked();
            let panic = panic_message(&*panic);
            Err(Denied::internal(format!("the webhook panicked: {panic}")))
        });
        let verdict = asked.unwrap_or_else(|denied| {
            let status = denied.into_status(&review.admission);
            let (code, reason) = (status.code, status.message.as_deref());
            if code >= Some(500) {
                tracing::error!(code, reason, "webhook failed");
            } else {
                tracing::debug!(code, reason, "denied");
            }
            Verdict::denied(status)
        });
        verdict.with_warnings(warnings)
    }

    /// Calls the webhooks one after another, until one denies the request. Collects the warnings of
    /// all that were called.
    async fn ask(
        &self,
        review: &AdmissionReview,
        warnings: &mut Vec<String>,
    ) -> Result<Verdict, Denied> {
        let patch = self.set_defaults(review).await?;
        for validator in &self.validators {
            let more = validator
                .validate(&review.objects, &review.admission)
                .await?;
            warnings.extend(Warnings::into_vec(more));
        }
        Ok(patch.map_or_else(Verdict::allowed, Verdict::patched))
    }

    /// Returns the JSON patch that sets what the object lacks, if it lacks anything.
    async fn set_defaults(&self, review: &AdmissionReview) -> Result<Option<Vec<u8>>, Denied> {
        let is_of_object = matches!(
            review.admission.operation,
            Operation::Create | Operation::Update
        );
        if self.defaulters.is_empty() || !is_of_object {
            return Ok(None);
        }
        let sent: Value = super::review::decode(review.objects.object()?)?;
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
