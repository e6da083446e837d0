//! Keys where serde knows them, and default functions with a definition.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[serde(rename_all = "camelCase")]
    pub struct Station {
        pub metadata: ObjectMeta,
        #[serde(default = "one")]
        pub first: String,
        pub second: String,
        pub third: String,
        #[serde(default = "none")]
        pub fourth: String,
        #[serde(default)]
        pub fifth: String,
        pub shape: Shape,
    }

    fn none() -> String {
        "none".to_owned()
    }

    fn one() -> String {
        "one".to_owned()
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all_fields = "camelCase")]
    pub enum Shape {
        #[serde(rename = "Disc")]
        Round { outer_size: i32 },
        Square { side_length: i32 },
    }
}
