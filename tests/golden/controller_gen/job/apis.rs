//! Kind with a field whose type is in another module (`unserved`).

pub mod unserved {
    use genclient::prelude::*;

    /// Spec of a cron job in an earlier version.
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
}

pub mod v1beta1 {
    use genclient::prelude::*;

    use super::unserved;

    /// Job that runs a limited number of times.
    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
    }

    /// Desired state of a job.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct JobSpec {
        /// Display name.
        #[crd(min_length = 5)]
        pub friendly_name: String,
        /// Maximum number of runs.
        #[crd(minimum = 0, maximum = 10)]
        pub count: i32,
        /// Cron job from which the job originates.
        #[serde(rename = "crongJob")]
        pub cron_job: unserved::CronJobSpec,
    }
}
