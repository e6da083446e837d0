//! `max-desc-len`: truncated descriptions, which are never cut inside a UTF-8 character. Keys of
//! one field or type: `description` and `max_desc_len`.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    /// Grüße: a description that is longer than what is asked for.
    #[genclient]
    #[group = "short.example.com"]
    pub struct Note {
        pub metadata: ObjectMeta,
        /// Äöüß words of a description, and more.
        pub text: String,
        /// Short. And then more of it.
        pub sentence: String,
        /// Donaudampfschifffahrtsgesellschaft
        pub word: String,
        /// Twenty characters ok
        pub fits: String,
        /// Ten words.
        #[crd(max_desc_len = 9)]
        pub shorter: String,
        /// Not more than twenty.
        #[crd(max_desc_len = 99)]
        pub longer: String,
        pub part: Part,
        /// Of the field.
        #[crd(description = "Stated.")]
        pub stated: Part,
        #[crd(description = "")]
        pub omitted: Part,
        /// Of the field.
        #[crd(max_desc_len = 0)]
        pub without: Part,
        #[crd(items(description = "One of them."))]
        pub list: Vec<Part>,
        #[crd(values(max_desc_len = 0))]
        pub map: BTreeMap<String, Part>,
        #[crd(
            description = "Beside `schema`.",
            schema = { "type": "string", "description": "Not this." }
        )]
        pub schema: String,
        pub newtype: Newtype,
        pub choice: Choice,
        #[serde(flatten)]
        #[crd(max_desc_len = 0)]
        pub flat: Flat,
        #[serde(flatten)]
        pub described: Described,
    }

    /// Of the type.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        /// Of the name.
        pub name: String,
    }

    /// Of the newtype.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(description = "Stated newtype.")]
    pub struct Newtype(pub String);

    /// Of the enum.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(description = "Stated enum.")]
    pub enum Choice {
        One,
        Two,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Flat {
        /// Flattened.
        pub flat_name: String,
    }

    /// Of the type.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(max_desc_len = 0)]
    pub struct Described {
        /// Of the field.
        pub described_name: String,
    }

    /// Of the kind.
    #[genclient]
    #[group = "short.example.com"]
    #[crd(description = "Stated.", max_desc_len = 8)]
    pub struct Memo {
        pub metadata: ObjectMeta,
        /// Longer than eight.
        pub text: String,
    }
}
