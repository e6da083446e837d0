//! Two versions with different selectable fields and different schemas.

use genclient::prelude::*;

pub mod v1 {
    use genclient::prelude::*;

    /// A task.
    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(storage, selectable_field = ".spec.mode")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }

    /// Specification of a task.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub mode: String,
        /// Number of items to process.
        pub amount: i32,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    /// A task.
    #[genclient]
    #[group = "tasks.example.com"]
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
