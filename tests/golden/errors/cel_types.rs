//! CEL rules and message expressions with type errors.

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
    #[serde(rename_all = "kebab-case")]
    #[crd(
        validation(rule = "size > 1"),
        validation(rule = "that.size > 1"),
        validation(rule = "self.max-size > 1"),
        validation(rule = "self.anything == 1"),
        validation(rule = "self.empty.of == 1"),
        validation(rule = "self.parts.name == 'a'"),
        validation(rule = "self.parts.all(part)"),
        validation(rule = "self.name.reversed()"),
        validation(rule = "self.parts.any(1)"),
        validation(rule = "self.note && true"),
        validation(rule = "self.?note && true"),
        validation(rule = "self.size.all(s, true)"),
        validation(rule = "self.all(s, true)"),
        validation(rule = "self.empty.all(s, true)"),
        validation(rule = "self.?parts.all(p, true)"),
        validation(rule = "self.first < self.first"),
        validation(rule = "self.first == self.second"),
        validation(rule = "self.name in self.parts"),
        validation(rule = "self.size in self.name"),
        validation(rule = "self.size ? true : false"),
        validation(rule = "true ? self.size : self.name"),
        validation(rule = "!self.name"),
        validation(rule = "self.name + self.size == 'a'"),
        validation(rule = "self.name == 1"),
        validation(rule = "self.size == '1'"),
        validation(rule = "self.size == null"),
        validation(rule = "self.parts > 1"),
        validation(rule = "self.name.size(1) == 1"),
        validation(rule = "size(1) == 1"),
        validation(rule = "self.?size > 1"),
        validation(rule = "self.?note.startsWith('a')"),
        validation(rule = "self.?size"),
        validation(rule = "dyn(self.size)"),
        validation(rule = "[?self.size] == [1]"),
        validation(rule = "Widget{size: 1} == self"),
        validation(rule = "[1, 'a'].size() == 2"),
        validation(rule = "{'a': 1, 'b': 'c'}.size() == 2"),
        validation(rule = "{'a': 1, 2: 3}.size() == 2"),
        validation(rule = "duration('1d') == duration('1h')"),
        validation(rule = "timestamp('2026-01-31') == timestamp('2026-01-31T00:00:00Z')"),
        validation(rule = "uint('a') == 1u"),
        validation(rule = "uint('+1') == 1u"),
        validation(rule = "int('a') == 1"),
        validation(rule = "double('a') == 1.0"),
        validation(rule = "bool('a')"),
        validation(rule = "self.parts.transformMap(i, p, p.name) == 1"),
        validation(rule = "self.size != null"),
        validation(rule = "1 == null"),
        validation(rule = "self.?note.orValue(1) == 'a'"),
        validation(rule = "self.parts['a'].name == 'a'"),
        validation(rule = "self.first == 'a'"),
        validation(rule = "self.first > 1"),
        validation(rule = "true == 1"),
        validation(rule = "-self.name == 1"),
        validation(rule = "-self.parts == 1"),
        validation(rule = "self.name == self.size"),
        validation(rule = "'a' + self.size == 'a'"),
        validation(rule = "'a' + string(self.size) == 'a'"),
        validation(rule = "all(self.parts, p, true)"),
        validation(rule = "has(self.note, self.name)"),
        validation(rule = "self.parts.filter(p, true, true).size() == 1"),
        validation(rule = "self.parts.reversed().size() == 1"),
        validation(rule = "self.?size.all(x, true)"),
        validation(rule = "self.parts < self.parts"),
        validation(rule = "self.name.matches(1)"),
        validation(rule = "true", field_path = "name"),
        validation(rule = "true", field_path = "parts[0]"),
        validation(rule = "true", field_path = ".siz"),
        validation(rule = "true", message_expression = "'a' + self.size"),
        validation(rule = "true", message_expression = "self.parts"),
        validation(rule = "self.size > 0", message_expression = "self.size"),
        validation(rule = "self.size > 1", message_expression = "self"),
        validation(rule = "true", message_expression = " ")
    )]
    pub struct WidgetSpec {
        pub size: i64,
        pub max_size: i64,
        #[crd(max_length = 9)]
        pub name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[crd(max_length = 9)]
        pub note: Option<String>,
        #[crd(max_items = 9)]
        pub parts: Vec<Part>,
        pub first: Part,
        pub second: Other,
        pub empty: Empty,
        #[crd(preserve_unknown_fields, validation(rule = "self == 1"))]
        pub anything: serde_json::Value,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        #[crd(max_length = 9)]
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Other {
        #[crd(validation(rule = "self.all(s, true)"))]
        pub size: i64,
        #[crd(max_items = 9, validation(rule = "self[0] == 1"))]
        pub list: Vec<serde_json::Value>,
        #[crd(max_properties = 9, validation(rule = "self['a'] == 1"))]
        pub map: BTreeMap<String, serde_json::Value>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Empty {}
}
