//! Properties as serde names and places them: `rename_all`, `rename`, `flatten` and `skip`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "names.example.com"]
    #[serde(rename_all = "camelCase")]
    pub struct Label {
        pub metadata: ObjectMeta,
        pub pretty_spec: LabelSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "kebab-case")]
    pub struct LabelSpec {
        pub front_side: Side,
        #[serde(rename = "backSide")]
        pub back_side: Option<Side>,
        #[serde(flatten)]
        pub paper: Paper,
        #[serde(skip)]
        pub cached: bool,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub struct Side {
        pub is_glossy: bool,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Paper {
        pub weight: i32,
        #[serde(default)]
        pub color: String,
    }
}
