//! Newtypes, `transparent` types, serde's conversions (`from`, `try_from`, `into`), and fields that
//! may be absent or null.

pub mod v1 {
    use std::collections::BTreeMap;
    use std::marker::PhantomData;

    use genclient::prelude::*;

    #[genclient]
    #[group = "shapes.example.com"]
    pub struct Shape {
        pub metadata: ObjectMeta,
        pub newtype: Port,
        pub newtype_of_option: MaybePort,
        pub transparent_option: ClearPort,
        pub transparent: Clear,
        pub converted: Celsius,
        pub converted_enum: Level,
        pub twice: Option<Option<i32>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub twice_skipped: Option<Option<Side>>,
        pub sides: Vec<Option<Side>>,
        pub values: BTreeMap<char, Option<i32>>,
        pub boxed: Box<Option<i32>>,
        pub alias: Maybe<i32>,
        #[serde(skip_serializing, default)]
        pub read_only: String,
        #[serde(skip_deserializing)]
        pub write_only: String,
        #[serde(skip_serializing, skip_deserializing)]
        pub neither: String,
        #[serde(default = "two")]
        pub defaulted: Option<i32>,
        #[crd(required)]
        pub needed: Option<String>,
        pub tagged: Tagged,
        #[serde(rename(serialize = "same", deserialize = "same"))]
        pub renamed: String,
    }

    fn two() -> Option<i32> {
        Some(2)
    }

    /// Port to listen on.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Port(#[crd(minimum = 1)] pub u16);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct MaybePort(pub Option<u16>);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(transparent)]
    pub struct ClearPort(pub Option<u16>);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(transparent)]
    pub struct Clear {
        #[serde(skip)]
        pub cached: bool,
        /// The only serialized field.
        #[crd(max_length = 5)]
        pub text: String,
        pub marker: PhantomData<i32>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(try_from = "f64", into = "f64")]
    #[crd(minimum = -273)]
    pub struct Celsius {
        degrees: f64,
    }

    impl TryFrom<f64> for Celsius {
        type Error = String;

        fn try_from(degrees: f64) -> Result<Self, String> {
            Ok(Self { degrees })
        }
    }

    impl From<Celsius> for f64 {
        fn from(celsius: Celsius) -> Self {
            celsius.degrees
        }
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(from = "String", into = "String")]
    pub enum Level {
        Known(i32),
        Unknown(String),
    }

    impl From<String> for Level {
        fn from(text: String) -> Self {
            text.parse().map(Self::Known).unwrap_or(Self::Unknown(text))
        }
    }

    impl From<Level> for String {
        fn from(level: Level) -> Self {
            match level {
                Level::Known(level) => level.to_string(),
                Level::Unknown(text) => text,
            }
        }
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Side {
        Left,
        Right,
    }

    pub type Maybe<T> = Option<T>;

    /// Struct whose serialized form has its name as `type`.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", rename = "tagged")]
    pub struct Tagged {
        pub value: i32,
    }
}
