//! Types of fields: nested structs, generics, newtypes, aliases, and a type of another module.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "nested.example.com"]
    pub struct House {
        pub metadata: ObjectMeta,
        pub kitchen: Room<Oven>,
        pub bedroom: Room<Vec<Name>>,
        pub owner: super::people::Person,
    }

    /// Room with its contents.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Room<T> {
        pub inside: T,
        pub more: Option<Box<T>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Oven {
        pub heat: Heat,
    }

    pub type Heat = u16;

    /// Name. The newtype has the schema of a string.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(min_length = 1)]
    pub struct Name(pub String);
}

pub mod people {
    #[derive(Clone, Debug, serde::Serialize, serde::Deserialize, genclient::CrdSchema)]
    pub struct Person {
        pub name: super::v1::Name,
    }
}
