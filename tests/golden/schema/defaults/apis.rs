//! Defaults stated by `#[crd(default)]`, returned as a literal by a default function, or known
//! only to serde and absent from the CRD.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "defaults.example.com"]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct JobSpec {
        #[crd(default = 3)]
        pub retries: i32,
        #[crd(default = "yes")]
        pub confirm: Option<String>,
        #[crd(default = { "a": [1, 2.5, null, true], "b": {} })]
        #[crd(preserve_unknown_fields, type = "object")]
        pub object: serde_json::Value,
        #[serde(default = "image")]
        pub image: String,
        #[serde(default = "verbose")]
        pub verbose: bool,
        #[serde(default = "image")]
        #[crd(no_default)]
        pub unstated: String,
        #[serde(default)]
        pub zero: i64,
    }

    fn image() -> String {
        "busybox".to_owned()
    }

    fn verbose() -> bool {
        true
    }
}
