//! A group with `-` in its first label needs no setting.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "hyphen-group.example.com"]
    pub struct Dash {
        pub metadata: ObjectMeta,
    }
}
