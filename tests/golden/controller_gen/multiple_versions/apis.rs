//! Two versions of a kind with a common type.

pub mod common {
    use genclient::prelude::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    pub struct InnerStruct {
        #[serde(skip_serializing_if = "String::is_empty")]
        pub foo: String,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    pub struct OuterStruct {
        #[crd(struct_type = "atomic")]
        pub r#struct: InnerStruct,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    use super::common::OuterStruct;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct VersionedResource {
        pub metadata: ObjectMeta,
        pub spec: VersionedResourceSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct VersionedResourceSpec {
        #[serde(default)]
        pub r#struct: OuterStruct,
    }
}

pub mod v1beta2 {
    use genclient::prelude::*;

    use super::common::OuterStruct;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    #[crd(storage)]
    pub struct VersionedResource {
        pub metadata: ObjectMeta,
        pub spec: VersionedResourceSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct VersionedResourceSpec {
        #[serde(default)]
        pub r#struct: OuterStruct,
    }
}
