//! Roots of kube that are not plain: another name, no `spec`, an enum, two versions, no schema.

pub mod mixed {
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "roots.example.com",
        version = "v1",
        kind = "HTTPRoute",
        root = "HttpRoute",
        plural = "httproutes",
        singular = "httproute",
        doc = "A way in."
    )]
    pub struct HttpRouteSpec {
        /// Where to.
        pub host: String,
        /// Objects in an object.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub switches: Vec<Switch>,
    }

    /// Its fields stand at the root.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "roots.example.com",
        version = "v1",
        kind = "Policy",
        no_spec,
        namespaced,
        status = State
    )]
    pub struct PolicyRules {
        /// What is allowed.
        pub allowed: Vec<String>,
    }

    /// One of the words.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "roots.example.com", version = "v1", kind = "Switch")]
    pub enum Position {
        On,
        Off,
    }

    /// The program fills in its schema.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
    #[kube(
        group = "roots.example.com",
        version = "v1",
        kind = "Opaque",
        schema = "disabled"
    )]
    pub struct OpaqueSpec {
        /// Whatever it is.
        pub text: String,
    }

    /// How it is.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct State {
        /// All is well.
        pub ready: bool,
    }
}

pub mod old {
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "roots.example.com",
        version = "v1beta1",
        kind = "Box",
        storage = false,
        deprecated
    )]
    pub struct BoxSpec {
        pub size: u8,
    }
}

pub mod new {
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "roots.example.com", version = "v1", kind = "Box")]
    pub struct BoxSpec {
        pub size: u8,
    }
}
