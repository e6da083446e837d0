//! The storage version.

mod objects;
mod spec;
mod status;
mod values;

use genclient::prelude::*;

pub use objects::*;
pub use spec::*;
pub use status::*;
pub use values::*;

/// Runs jobs on a schedule.
#[genclient(skip_client)]
#[group = "testdata.kubebuilder.io"]
#[crd(
    singular = "mycronjob",
    storage,
    annotation(
        "api-approved.kubernetes.io",
        "https://github.com/kubernetes-sigs/controller-tools"
    ),
    annotation(
        "cert-manager.io/inject-ca-from-secret",
        "cert-manager/cert-manager-webhook-ca"
    ),
    selectable_field = ".spec.selectableFieldString"
)]
pub struct CronJob {
    pub metadata: ObjectMeta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<CronJobSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CronJobStatus>,
}
