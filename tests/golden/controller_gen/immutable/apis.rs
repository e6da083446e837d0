//! Immutable fields, required and optional: strings, structs, lists and maps.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct ImmutableType {
        pub metadata: ObjectMeta,
        pub spec: ImmutableSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ImmutableSpec {
        #[crd(immutable)]
        pub required_string: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[crd(immutable)]
        pub optional_string: Option<String>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        #[crd(immutable)]
        pub optional_literal_string: String,
        #[crd(immutable)]
        pub required_struct: NestedStruct,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[crd(immutable)]
        pub optional_struct: Option<NestedStruct>,
        #[serde(default, skip_serializing_if = "NestedStruct::is_zero")]
        #[crd(immutable)]
        pub optional_omit_zero_struct: NestedStruct,
        #[crd(immutable)]
        pub required_slice: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[crd(immutable)]
        pub optional_slice: Vec<String>,
        #[crd(immutable)]
        pub required_map: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(immutable)]
        pub optional_map: BTreeMap<String, String>,
        pub mutable_string: String,
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
    pub struct NestedStruct {
        pub key: String,
        pub value: String,
    }

    impl NestedStruct {
        fn is_zero(&self) -> bool {
            *self == Self::default()
        }
    }
}
