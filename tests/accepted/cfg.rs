//! Kinds with `#[cfg]` above and below `#[genclient]`.
#![expect(
    clippy::non_minimal_cfg,
    reason = "constant conditions are the shortest"
)]

pub mod v1 {
    use genclient::prelude::*;

    #[cfg(all())]
    #[genclient(group = "example.com")]
    pub struct Above {
        pub metadata: ObjectMeta,
    }

    #[genclient(group = "example.com")]
    #[cfg(any())]
    pub struct Below {
        pub metadata: ObjectMeta,
        pub spec: Missing,
    }
}

#[test]
fn items_behind_cfg_are_left_out() {
    let _ = v1::Above {
        metadata: Default::default(),
    };
}
