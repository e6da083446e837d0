//! Another kind that uses a type of a version module.

pub mod unserved {
    use genclient::prelude::*;

    /// What a cron job once looked like.
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

    /// A job that runs a few times.
    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
    }

    /// What is run, and how often.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct JobSpec {
        /// What people call it.
        #[crd(min_length = 5)]
        pub friendly_name: String,
        /// How often it may run.
        #[crd(minimum = 0, maximum = 10)]
        pub count: i32,
        /// The cron job that it comes from.
        #[serde(rename = "crongJob")]
        pub cron_job: unserved::CronJobSpec,
    }
}
