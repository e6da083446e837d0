//! Kinds that differ for the API server, but would share names in generated code.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct GPUTask {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(plural = "gpu-tasks")]
    pub struct GpuTask {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Foo {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct FooNamespace {
        pub metadata: ObjectMeta,
    }
}
