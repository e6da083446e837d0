//! Fields of concrete types in place of trait objects.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct InterfaceField {
        pub metadata: ObjectMeta,
        pub spec: InterfaceFieldSpec,
    }

    #[derive(Debug, Serialize, Deserialize, CrdSchema)]
    pub struct InterfaceFieldSpec {
        pub bar: Option<Box<Bar>>,
        pub list: Vec<Vec<String>>,
        pub map: BTreeMap<String, BTreeMap<String, String>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Bar {
        pub bar: String,
    }
}
