//! Group with `-` in its first label: the module has `_` instead, without `group-aliases`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "hyphen-group.example.com"]
    pub struct Dash {
        pub metadata: ObjectMeta,
    }
}
