//! `skip_verbs`: a client with all verbs except these.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_verbs = ["delete_collection", "patch", "apply", "apply_status"])]
    #[group = "archive.example.com"]
    pub struct Record {
        pub metadata: ObjectMeta,
        pub status: Option<RecordStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct RecordStatus {
        pub sealed: bool,
    }
}
