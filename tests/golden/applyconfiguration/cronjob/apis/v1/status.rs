//! Status of a cron job.

use genclient::prelude::*;
use k8s_openapi::api::core::v1::ObjectReference;

use super::values::*;

/// Observed state of a cron job.
#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobStatus {
    /// Active jobs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub active: Vec<ObjectReference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_schedule_time2: Option<Time2>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_schedule_micro_time: Option<MicroTime>,
    #[serde(rename = "lastActiveLogURL", skip_serializing_if = "Option::is_none")]
    pub last_active_log_url: Option<Url>,
    #[serde(rename = "lastActiveLogURL2", skip_serializing_if = "Option::is_none")]
    pub last_active_log_url2: Option<Url2>,
    #[serde(rename = "lastActiveLogURL3", skip_serializing_if = "Option::is_none")]
    pub last_active_log_url3: Option<Url3>,
    #[serde(rename = "lastActiveLogURL4", skip_serializing_if = "Option::is_none")]
    pub last_active_log_url4: Option<Url4>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
}

/// Duration of the last job.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Duration {
    /// Number of nanoseconds.
    pub value: i64,
}
