//! Admission plug-ins MutatingAdmissionWebhook and ValidatingAdmissionWebhook
//! (k8s.io/apiserver/pkg/admission/plugin/webhook).

mod ask;
mod conditions;
mod configured;
mod invocation;
mod matching;
mod mutating;
mod review;
mod rules;
mod selectors;
mod validating;

pub(super) use self::configured::are_configured;
pub(super) use self::mutating::{Reinvocation, mutate};
pub(super) use self::validating::validate;
