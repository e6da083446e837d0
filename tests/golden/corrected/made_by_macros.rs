//! Types that macros make, and what is stated of them.

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

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Made {
        pub name: String,
    }

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
        #[crd(schema = { "type": "object" })]
        pub fixed: super::Fixed,
        pub member: group::Member,
        #[crd(schema = { "type": "object", "properties": { "name": { "type": "string" } } })]
        pub changing: super::v2::Changing,
        #[crd(preserve_unknown_fields, type = "object")]
        pub missing: Missing,
        pub included: super::included::Anything,
    }
}

pub mod included {
    include!("somewhere.rs");
}
