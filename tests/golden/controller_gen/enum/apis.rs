//! Enum of unit variants: a string with an `enum`.

pub mod v1 {
    use genclient::prelude::*;

    /// Kind with an enum.
    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct Enum {
        pub metadata: ObjectMeta,
        #[serde(default)]
        pub spec: EnumSpec,
    }

    /// Spec with a field of the enum.
    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct EnumSpec {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub field: Option<EnumType>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
    pub enum EnumType {
        Value1,
        Value2,
    }
}
