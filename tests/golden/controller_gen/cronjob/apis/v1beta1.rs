//! A version that is no longer served.

use genclient::prelude::*;

/// Runs jobs by the clock.
#[genclient(skip_client)]
#[group = "testdata.kubebuilder.io"]
#[crd(singular = "mycronjob", unserved)]
pub struct CronJob {
    pub metadata: ObjectMeta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<CronJobSpec>,
}

/// What the version had.
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
