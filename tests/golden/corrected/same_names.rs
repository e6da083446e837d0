//! Different kinds with different singulars, and with different names in generated code.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(singular = "graphics-task")]
    pub struct GPUTask {
        pub metadata: ObjectMeta,
    }

    #[genclient(skip_client)]
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
    pub struct FooSpace {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(short_names = ["za"])]
    pub struct Aid {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Zebra {
        pub metadata: ObjectMeta,
    }
}
