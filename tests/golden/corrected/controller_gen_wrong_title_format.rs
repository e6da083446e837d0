//! Titles that are strings.

pub mod v1beta1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct JobSpec {
        #[crd(title = "Friendly name")]
        pub friendly_name: String,
        #[crd(title = "Count")]
        pub count: i32,
    }
}
