//! Types of other modules of the crate, reached by every form of path, import and re-export.

pub mod v1 {
    extern crate serde_json as json;

    use super::super::shared::sizes as amounts;
    use super::super::shared::{Limits, Names as Labels};
    use crate::schema_elsewhere::shared::facade::*;
    use genclient::prelude::*;

    const SIDES: usize = 2 * amounts::FACES;

    #[genclient]
    #[group = "elsewhere.example.com"]
    pub struct Machine {
        pub metadata: ObjectMeta,
        pub spec: MachineSpec,
    }

    /// API type that is used by a type outside of the API module.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Home {
        pub street: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct MachineSpec {
        pub limits: Limits,
        pub labels: Labels,
        pub inner: Inner,
        pub mode: super::super::shared::deep::Mode,
        pub anything: json::Value,
        pub pair: amounts::Pair<i32>,
        pub mixed: amounts::Pair<i32, bool>,
        pub few: amounts::Few<String>,
        pub some: amounts::Few<String, 3>,
        pub many: amounts::Few<String, SIDES>,
        pub sum: amounts::Few<String, { SIDES + 1 }>,
        pub bytes: [u8; amounts::FACES],
        pub weights: amounts::Weights,
        pub again: Limits,
    }
}
