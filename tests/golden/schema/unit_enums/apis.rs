//! Enums of unit variants are strings; a nullable one lists `null`.

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

    /// What it shines in.
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
