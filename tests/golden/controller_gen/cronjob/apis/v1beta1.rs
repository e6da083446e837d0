//! An unserved version.

use genclient::prelude::*;

/// Runs jobs on a schedule.
#[genclient(skip_client)]
#[group = "testdata.kubebuilder.io"]
#[crd(singular = "mycronjob", unserved)]
pub struct CronJob {
    pub metadata: ObjectMeta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<CronJobSpec>,
}

/// Desired state of a cron job, with the fields of this version.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronJobSpec {
    /// At least four characters.
    #[crd(min_length = 4)]
    pub two_of_a_kind_part0: String,
    /// -2, 0 or 2.
    #[crd(minimum = -2, maximum = 2, multiple_of = 2)]
    pub int32_with_validations: i32,
}
