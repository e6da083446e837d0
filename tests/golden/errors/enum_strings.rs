//! Enums with some variants serialized as strings or integers and others as objects.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Policy {
        pub metadata: ObjectMeta,
        pub close: Close,
        pub typed: Typed,
        pub level: Level,
        pub mixed: Mixed,
        pub clash: Clash,
        pub untagged: Untagged,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Close {
        Close,
        Open { after: i32 },
        Wait(Wait),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Wait {
        pub seconds: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Typed {
        Close,
        Open { r#type: String },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Level {
        Off,
        On(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Mixed {
        Off,
        On(i32),
        Wait(Wait),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Clash {
        Off,
        On { value: i32 },
        Wait { value: String },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Number(i32),
        Wait(Wait),
    }
}
