//! A kind and a field type with two definitions, selected by `#[cfg]`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(kind = "Widget")]
    #[group = "errors.example.com"]
    #[cfg(feature = "extra")]
    pub struct Large {
        pub metadata: ObjectMeta,
    }

    #[genclient(kind = "Widget")]
    #[group = "errors.example.com"]
    #[cfg(not(feature = "extra"))]
    pub struct Small {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Gadget {
        pub metadata: ObjectMeta,
        pub size: Size,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[cfg(feature = "extra")]
    pub struct Size {
        pub width: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[cfg(not(feature = "extra"))]
    pub struct Size {
        pub height: i32,
    }
}
