//! Types that macros make.

macro_rules! named {
    ($name:ident) => {
        pub struct $name {
            pub name: String,
        }
    };
}

macro_rules! fixed {
    () => {
        pub struct Fixed;
    };
}

#[versioned(version(name = "v2"))]
pub struct Changing {
    pub name: String,
}

pub mod v1 {
    use genclient::prelude::*;

    named!(Made);
    super::fixed!();

    grouped! {
        pub mod group {
            pub struct Member {
                pub name: String,
            }
        }
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Magic {
        pub metadata: ObjectMeta,
        pub made: Made,
        pub fixed: super::Fixed,
        pub member: group::Member,
        pub changing: super::v2::Changing,
        pub missing: Missing,
        pub included: super::included::Anything,
    }
}

pub mod included {
    include!("somewhere.rs");
}
