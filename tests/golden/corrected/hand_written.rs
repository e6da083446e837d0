//! Types that do not derive serde's `Serialize`, each with a stated schema.

pub mod v1 {
    use genclient::prelude::*;
    use serde::{Deserializer, Serializer};

    #[genclient]
    #[group = "example.com"]
    pub struct Own {
        pub metadata: ObjectMeta,
        #[crd(schema = { "type": "string" })]
        pub range: Range,
        #[crd(items(schema = { "type": "string", "nullable": true }))]
        pub ranges: Vec<super::writing::Spread>,
        pub number: Number,
        #[crd(schema = { "type": "string" })]
        pub stated: Range,
    }

    #[derive(Clone, Debug)]
    pub struct Range {
        pub from: i32,
        pub to: i32,
    }

    impl Serialize for Range {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}-{}", self.from, self.to))
        }
    }

    pub struct Spread(pub Range);

    #[derive(Serialize_repr, Deserialize_repr)]
    pub enum Number {
        One = 1,
    }
}

pub mod writing {
    pub use super::v1::Spread;

    impl serde::Serialize for Spread {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_unit()
        }
    }
}
