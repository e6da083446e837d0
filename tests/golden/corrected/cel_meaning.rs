//! CEL rules with conversions, guards and the notation of CEL.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(validation(rule = "self.metadata.name == 'a'"))]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(
        validation(rule = "duration(self.timeout) < duration('1h')"),
        validation(rule = "quantity(string(self.limit)).isLessThan(quantity('1Gi'))"),
        validation(rule = "quantity(string(self.limit)).isGreaterThan(quantity('3'))"),
        validation(rule = "quantity(string(self.limit)).isLessThan(quantity('2Gi'))"),
        validation(rule = "quantity(string(self.limit)) == quantity('3Gi')"),
        validation(rule = "quantity(self.memory).isGreaterThan(quantity('1Gi'))"),
        validation(rule = "quantity(self.memory).isLessThan(quantity('4Gi'))"),
        validation(rule = "!oldSelf.hasValue() || self.message == oldSelf.value().message", optional_old_self),
        validation(rule = "'foo' in self.tags && self.tags.foo == 'a'"),
        validation(rule = "self.names.size() > 0 && self.names[0] == 'a'"),
        validation(rule = "self.lines.size() > 1"),
        validation(rule = "self.message.size() > 1"),
        validation(rule = "self.lines.all(item, item != 'foo')"),
        validation(rule = "has(self.note)"),
        validation(rule = "self.message.matches('a')"),
        validation(rule = "!(self.paused)"),
        validation(rule = "self.message != 'b'"),
        validation(rule = "self.paused ? false : true"),
        validation(rule = "self.level == 'low'"),
        validation(rule = "self.lines.join(',') == 'a'")
    )]
    pub struct WidgetSpec {
        pub timeout: Duration,
        pub limit: Quantity,
        #[crd(max_length = 9)]
        pub memory: String,
        #[crd(max_length = 9)]
        pub message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        #[crd(max_properties = 9)]
        pub tags: BTreeMap<String, String>,
        #[crd(max_items = 9, items(max_length = 9))]
        pub lines: Vec<String>,
        #[crd(max_items = 9, items(max_length = 9))]
        pub names: Vec<String>,
        pub paused: bool,
        pub level: Level,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Level {
        Low,
        High,
    }
}
