pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(
        validation(rule = "!has(self.max) || !has(self.min) || self.min <= self.max"),
        validation(rule = "!has(self.limits) || !has(self.limits.low) || self.limits.low > 0"),
        validation(rule = "self.nodes.all(node, has(node.weight) && node.weight > 0)"),
        validation(rule = "!has(self.max) || !has(oldSelf.max) || self.max == oldSelf.max"),
        validation(rule = "has(self.given) && self.given > 0"),
        validation(rule = "self.filled > 0 && self.?given.orValue(1) > 0"),
        validation(rule = "self.nodes.all(node, !has(node.weight) || node.weight > 0)"),
        validation(rule = "!has(self.spare) || self.spare > 0"),
        validation(rule = "!has(self.min) || self.min > 0")
    )]
    pub struct WidgetSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub min: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub given: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub spare: Option<i32>,
        #[serde(default)]
        #[crd(default = 1)]
        pub filled: i32,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limits: Option<Limits>,
        #[crd(max_items = 5)]
        pub nodes: Vec<Node>,
        pub source: Source,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    #[crd(
        validation(rule = "!has(self.x) || self.x.size() > 0"),
        validation(rule = "self.type != 'File' || self.x.size() > 1"),
        validation(rule = "self.name.size() > 0")
    )]
    pub enum Source {
        File { name: String, x: String },
        Url { name: String },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Limits {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub low: Option<i32>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Node {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub weight: Option<i32>,
    }
}
