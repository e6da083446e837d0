//! A kind and field types with one definition for every build.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub large: Option<Large>,
        pub small: Option<Small>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Large {}

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Small {}

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Gadget {
        pub metadata: ObjectMeta,
        pub width: Option<Width>,
        pub height: Option<Height>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Width {
        pub width: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Height {
        pub height: i32,
    }
}
