//! CEL rules that do not mean what their text suggests: durations and quantities as text, the old
//! value of a new object, entries that may be missing, and notation of other languages.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(
        validation(rule = "self.timeout < '1h'"),
        validation(rule = "self.limit < '1Gi'"),
        validation(rule = "self.limit > 3"),
        validation(rule = "self.limit.isLessThan(quantity('2Gi'))"),
        validation(rule = "quantity(self.limit) == quantity('3Gi')"),
        validation(rule = "quantity(self.memory) > quantity('1Gi')"),
        validation(rule = "self.memory.isLessThan(quantity('4Gi'))"),
        validation(rule = "self.message == oldSelf.message", optional_old_self),
        validation(rule = "self.tags.foo == 'a'"),
        validation(rule = "self.names[0] == 'a'"),
        validation(rule = "self.lines.size > 1"),
        validation(rule = "self.message.size > 1"),
        validation(rule = "self.lines.foo > 1"),
        validation(rule = "has(note)"),
        validation(rule = "self.message =~ 'a'"),
        validation(rule = "not self.paused"),
        validation(rule = "self.message <> 'b'"),
        validation(rule = "if self.paused then false else true"),
        validation(rule = "self.level == Low"),
        validation(rule = "self.metadata.name == 'a'"),
        validation(rule = "self.lines.map(line, line + 'a').join(',') == 'a'")
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
