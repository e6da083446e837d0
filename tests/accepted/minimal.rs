//! A kind with only `metadata` and `spec`, whose version comes from its module.
pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "falldio.com"]
    pub struct GPUTask {
        pub metadata: ObjectMeta,
        pub spec: GPUTaskSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct GPUTaskSpec {
        pub memory: String,
    }
}

#[test]
fn version_comes_from_the_module() {
    use genclient::kube::Resource;
    use genclient::kube::core::object::HasSpec;

    let task: v1::GPUTask =
        serde_json::from_str(r#"{"metadata":{"name":"a"},"spec":{"memory":"4Gi"}}"#).unwrap();
    assert_eq!(task.clone().spec().memory, "4Gi");
    assert_eq!(v1::GPUTask::api_version(&()), "falldio.com/v1");
    assert_eq!(v1::GPUTask::plural(&()), "gputasks");
    let text = serde_json::to_string(&task).unwrap();
    assert!(
        text.starts_with(r#"{"apiVersion":"falldio.com/v1","kind":"GPUTask","metadata":"#),
        "{text}"
    );
}
