//! Two versions with the same schema and the same selectable fields.

pub mod v1 {
    use genclient::prelude::*;

    /// A task.
    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(storage, selectable_field = ".spec.mode", selectable_field = ".spec.amount")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }

    /// Specification of a task.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub mode: String,
        pub amount: i32,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    use super::v1::TaskSpec;

    /// A task.
    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(selectable_field = ".spec.mode", selectable_field = ".spec.amount")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }
}
