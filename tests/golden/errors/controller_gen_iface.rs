//! Fields of trait objects, whose serialized form is unknown.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct InterfaceField {
        pub metadata: ObjectMeta,
        pub spec: InterfaceFieldSpec,
    }

    #[derive(Debug, Serialize, Deserialize, CrdSchema)]
    pub struct InterfaceFieldSpec {
        pub bar: Option<Box<dyn Debug>>,
        pub list: Vec<Box<dyn Debug>>,
        pub map: BTreeMap<String, Box<dyn Debug>>,
    }
}
