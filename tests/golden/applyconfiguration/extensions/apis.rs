//! code-generator's group `extensions`: methods for each verb, and a subresource whose input gets
//! an apply configuration.

pub mod v1 {
    use genclient::prelude::*;

    /// TestType is a top-level type. A client is created for it.
    #[genclient(
        method(name = "get_extended", verb = "get"),
        method(name = "list_extended", verb = "list"),
        method(name = "create_extended", verb = "create"),
        method(name = "update_extended", verb = "update"),
        method(name = "patch_extended", verb = "patch"),
        method(name = "apply_extended", verb = "apply"),
        method(
            name = "get_subresource",
            verb = "get",
            subresource = "testsubresource",
            result = "TestSubresource"
        ),
        method(
            name = "create_subresource",
            verb = "create",
            subresource = "testsubresource",
            input = "TestSubresource",
            result = "TestSubresource"
        ),
        method(
            name = "update_subresource",
            verb = "update",
            subresource = "subresource",
            input = "TestSubresource",
            result = "TestSubresource"
        ),
        method(
            name = "apply_subresource",
            verb = "apply",
            subresource = "subresource",
            input = "TestSubresource",
            result = "TestSubresource"
        )
    )]
    #[group = "extensions.test.example.com"]
    pub struct TestType {
        pub metadata: ObjectMeta,
        #[serde(default)]
        pub status: TestTypeStatus,
    }

    /// Body of requests to the subresource.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct TestSubresource {
        /// Name of the part.
        pub name: String,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct TestTypeStatus {
        pub blah: String,
    }
}
