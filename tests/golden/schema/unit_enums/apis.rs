//! Enums of unit variants: strings with an `enum`, which lists `null` if the field is nullable.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "enums.example.com"]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub color: Color,
        pub state: Option<State>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub last: Option<State>,
        pub all: Vec<Color>,
    }

    /// Color of the light.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Color {
        Red,
        #[serde(rename = "sky-blue")]
        Blue,
        #[serde(skip)]
        Secret,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum State {
        On,
        Off,
        NotYetKnown,
    }
}
