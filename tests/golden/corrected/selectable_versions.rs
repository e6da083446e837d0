//! Two versions that share neither their schema nor their selectable fields.

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

    /// What a task asks for.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub mode: String,
        /// How many.
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

    /// What a task asks for.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub mode: String,
        pub amount: i32,
    }
}
