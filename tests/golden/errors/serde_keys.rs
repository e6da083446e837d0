//! Keys that serde does not know, or not there, and default functions without a definition.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[serde(renameall = "camelCase")]
    pub struct Station {
        pub metadata: ObjectMeta,
        #[serde(defualt = "one")]
        pub first: String,
        #[serde(tag = "type")]
        pub second: String,
        #[serde(frobnicate)]
        pub third: String,
        #[serde(default = "noen")]
        pub fourth: String,
        #[serde(default = "fifth_value")]
        pub fifth: String,
        pub shape: Shape,
    }

    fn none() -> String {
        "none".to_owned()
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all_field = "camelCase")]
    pub enum Shape {
        #[serde(renam = "Disc")]
        Round { outer_size: i32 },
        #[serde(flatten)]
        Square { side_length: i32 },
    }
}
