//! code-generator's group `conflicting`: structs whose fields have names of other parts of an
//! object, and a status with a flattened struct of another module.

pub mod v1;

pub mod gateway {
    pub mod v1 {
        use genclient::prelude::*;

        /// Reference to a parent of a route.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
        pub struct ParentReference {
            /// Name of the parent.
            pub name: String,
            /// Port of the parent.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub port: Option<i32>,
        }
    }

    pub mod v1alpha2 {
        use genclient::prelude::*;

        use super::v1::ParentReference;

        /// Status of a policy with respect to one ancestor.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct PolicyAncestorStatus {
            /// The ancestor.
            pub ancestor_ref: ParentReference,
        }

        /// Status of a policy.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
        pub struct PolicyStatus {
            /// Status for each ancestor.
            pub ancestors: Vec<PolicyAncestorStatus>,
        }
    }
}
