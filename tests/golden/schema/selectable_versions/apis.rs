//! Two versions of one type with the same selectable field: their schemas are the same to the byte.

pub mod v1 {
    use genclient::prelude::*;

    /// A task.
    #[genclient]
    #[group = "selectable.example.com"]
    #[crd(storage, selectable_field = ".spec.mode")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }

    /// What a task asks for.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        /// How it runs.
        pub mode: String,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    use super::v1::TaskSpec;

    /// A task.
    #[genclient]
    #[group = "selectable.example.com"]
    #[crd(selectable_field = ".spec.mode")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }
}
