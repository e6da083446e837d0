//! Two versions of a kind with the same spec and selectable field, so with identical schemas.

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

    /// Desired state of a task.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        /// Mode of operation.
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
