//! A deprecated version.

use genclient::prelude::*;

/// Runs jobs on a schedule.
#[genclient(skip_client)]
#[group = "testdata.kubebuilder.io"]
#[crd(
    singular = "mycronjob",
    deprecated = "use v1 instead, this version causes your data center to catch fire when used on Tuesdays"
)]
pub struct CronJob {
    pub metadata: ObjectMeta,
}
