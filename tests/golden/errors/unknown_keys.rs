//! Unknown keys, with suggestions.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(no_statuss)]
    #[group = "example.com"]
    #[crd(shortnames = ["a"], printcolum(name = "A"), frobnicate)]
    pub struct Unknown {
        pub metadata: ObjectMeta,
        #[crd(minimun = 1)]
        pub count: i32,
        pub inner: Inner,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        #[crd(maxlength = 3)]
        pub text: String,
    }
}
