//! Unusual roots of kube's derive: another name than the kind, no `spec`, an enum as spec, two
//! versions, and no schema.

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
        /// Host to route to.
        pub host: String,
        /// Embedded objects of another kind.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub switches: Vec<Switch>,
    }

    /// Policy without a `spec`: its fields are at the root.
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
        /// Allowed actions.
        pub allowed: Vec<String>,
    }

    /// Position of a switch.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "roots.example.com", version = "v1", kind = "Switch")]
    pub enum Position {
        On,
        Off,
    }

    /// Spec without a derived schema, which only the program knows.
    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
    #[kube(
        group = "roots.example.com",
        version = "v1",
        kind = "Opaque",
        schema = "disabled"
    )]
    pub struct OpaqueSpec {
        /// Any text.
        pub text: String,
    }

    /// Observed state of a policy.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct State {
        /// Whether the policy is ready.
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
