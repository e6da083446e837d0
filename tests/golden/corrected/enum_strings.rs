//! Enums whose variants are all serialized as objects, or that have a stated schema.

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
        Close {},
        Open { after: i32 },
        Wait(Wait),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Wait {
        pub seconds: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "kind")]
    pub enum Typed {
        Close,
        Open { r#type: String },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", content = "value")]
    pub enum Level {
        Off,
        On(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Mixed {
        Off {},
        On(i32),
        Wait(Wait),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(schema = { "x-kubernetes-preserve-unknown-fields": true })]
    pub enum Clash {
        Off,
        On { value: i32 },
        Wait { value: String },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Untagged {
        Number(i32),
        Wait(Wait),
    }
}
