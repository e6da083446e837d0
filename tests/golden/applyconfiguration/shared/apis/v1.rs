//! Two kinds whose types are in private modules.

mod limits {
    use genclient::prelude::*;
    use serde::{Deserialize, Serialize};

    /// Limits of a program.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
    pub struct Limits {
        pub memory: String,
    }

    /// A struct that only fields of this module have.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
    pub struct Hidden {
        pub limits: Limits,
    }
}

mod program {
    use genclient::prelude::*;

    use super::limits::{Hidden, Limits};

    /// A program.
    #[genclient]
    #[group = "programs.example.com"]
    pub struct Program {
        pub metadata: ObjectMeta,
        pub limits: Limits,
        pub hidden: Hidden,
        /// Hides the setter of labels.
        pub labels: bool,
    }
}

mod job {
    use genclient::prelude::*;

    use super::Limits;

    /// A program that ends.
    #[genclient]
    #[group = "jobs.example.com"]
    pub struct Job {
        pub metadata: ObjectMeta,
        pub limits: Option<Limits>,
    }
}

pub use job::Job;
pub use limits::Limits;
pub use program::*;
