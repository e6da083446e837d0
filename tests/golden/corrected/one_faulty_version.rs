//! Kinds without an error in any version, and without conflicts between versions.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(storage, short_names = ["tk"], selectable_field = ".spec.mode")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub mode: String,
        pub amount: i32,
    }

    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(storage, selectable_field = ".spec.mode")]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct JobSpec {
        pub mode: String,
        #[crd(minimum = 0)]
        pub amount: i32,
    }

    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(storage)]
    pub struct Oven {
        pub metadata: ObjectMeta,
    }
}

pub mod v1alpha1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(short_names = ["tk"], selectable_field = ".spec.mode")]
    pub struct Task {
        pub metadata: ObjectMeta,
        pub spec: TaskSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TaskSpec {
        pub mode: String,
        pub amount: i32,
    }

    #[genclient]
    #[group = "tasks.example.com"]
    #[crd(selectable_field = ".spec.mode")]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct JobSpec {
        pub mode: String,
        #[crd(minimum = 0)]
        pub amount: i32,
    }

    #[genclient]
    #[group = "tasks.example.com"]
    pub struct Oven {
        pub metadata: ObjectMeta,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "tasks.example.com"]
    pub struct Oven {
        pub metadata: ObjectMeta,
    }
}
