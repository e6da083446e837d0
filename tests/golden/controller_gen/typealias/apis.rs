//! Type that is reached through an alias in an intermediate module.

pub mod base {
    use genclient::prelude::*;

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BaseStruct {
        pub value: String,
    }
}

pub mod middle {
    pub type AliasedStruct = super::base::BaseStruct;
}

pub mod v1 {
    use genclient::prelude::*;

    use super::middle;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct IndirectAlias {
        pub metadata: ObjectMeta,
        pub spec: IndirectAliasSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct IndirectAliasSpec {
        pub field: middle::AliasedStruct,
    }
}
