//! CEL rules and message expressions without type errors.

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
        validation(rule = "self.size > 1"),
        validation(rule = "self.size > 1"),
        validation(rule = "self.max__dash__size > 1"),
        validation(rule = "self.anything == 1"),
        validation(rule = "self.empty == self.empty"),
        validation(rule = "self.parts.all(item, item.name == 'a')"),
        validation(rule = "self.parts.all(part, true)"),
        validation(rule = "self.name.lowerAscii() == 'a'"),
        validation(rule = "self.parts.exists(part, true)"),
        validation(rule = "self.note == 'a' && true"),
        validation(rule = "self.?note.orValue('') == 'a' && true"),
        validation(rule = "self.parts.all(s, true)"),
        validation(rule = "self.parts.all(s, true)"),
        validation(rule = "self.parts.all(s, true)"),
        validation(rule = "!has(self.parts) || self.parts.all(p, true)"),
        validation(rule = "self.first.name < self.first.name"),
        validation(rule = "self.first.name == string(self.second.size)"),
        validation(rule = "self.name in ['a']"),
        validation(rule = "self.size in [1]"),
        validation(rule = "self.size == 1 ? true : false"),
        validation(rule = "(true ? self.size : int(self.name)) == 1"),
        validation(rule = "!(self.name == 'a')"),
        validation(rule = "'%s%s'.format([self.name, self.size]) == 'a1'"),
        validation(rule = "self.name == '1'"),
        validation(rule = "self.size == 1"),
        validation(rule = "!has(self.size)"),
        validation(rule = "self.parts.size() > 1"),
        validation(rule = "self.name.size() == 1"),
        validation(rule = "size('1') == 1"),
        validation(rule = "self.?size.orValue(1) > 1"),
        validation(rule = "self.?note.orValue('').startsWith('a')"),
        validation(rule = "self.?size.orValue(1) == 1"),
        validation(rule = "dyn(self.size) == true"),
        validation(rule = "[self.size] == [1]"),
        validation(rule = "self.size == 1 && self.max__dash__size == 1"),
        validation(rule = "[string(1), 'a'].size() == 2"),
        validation(rule = "{'a': dyn(1), 'b': dyn('c')}.size() == 2"),
        validation(rule = "{'a': 1, string(2): 3}.size() == 2"),
        validation(rule = "duration('1h30m') == duration('1h')"),
        validation(rule = "timestamp('2026-01-31T12:00:00Z') == timestamp('2026-01-31T00:00:00Z')"),
        validation(rule = "5u == 1u"),
        validation(rule = "1 == 1"),
        validation(rule = "1.0 == 1.0"),
        validation(rule = "true"),
        validation(rule = "self.parts.transformMap(i, p, p.name).size() == 1"),
        validation(rule = "has(self.size)"),
        validation(rule = "true"),
        validation(rule = "self.?note.orValue('') == 'a'"),
        validation(rule = "self.parts[0].name == 'a'"),
        validation(rule = "self.first.name == 'a'"),
        validation(rule = "self.first.name.size() > 1"),
        validation(rule = "true == true"),
        validation(rule = "-int(self.name) == 1"),
        validation(rule = "-1 == 1"),
        validation(rule = "string(self.size) == self.name"),
        validation(rule = "'%s%s'.format(['a', self.size]) == 'a1'"),
        validation(rule = "'%s%s'.format(['a', self.size]) == 'a'"),
        validation(rule = "self.parts.all(p, true)"),
        validation(rule = "has(self.note)"),
        validation(rule = "self.parts.filter(p, true).size() == 1"),
        validation(rule = "self.parts.reverse().size() == 1"),
        validation(rule = "self.parts.all(x, true)"),
        validation(rule = "self.parts.size() < self.parts.size()"),
        validation(rule = "self.name.matches('1')"),
        validation(rule = "true", field_path = ".name"),
        validation(rule = "true", field_path = ".parts"),
        validation(rule = "true", field_path = ".size"),
        validation(rule = "true", message_expression = "'%s%s'.format(['a', self.size])"),
        validation(rule = "true", message_expression = "'%s'.format([self.parts])"),
        validation(rule = "self.size > 0", message_expression = "string(self.size)"),
        validation(rule = "self.size > 1", message_expression = "self.name"),
        validation(rule = "true", message_expression = "'a'")
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
        #[crd(validation(rule = "self == 1"))]
        #[crd(type = "integer")]
        pub anything: serde_json::Value,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        #[crd(max_length = 9)]
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Other {
        #[crd(validation(rule = "self > 0"))]
        pub size: i64,
        #[crd(max_items = 9, items(type = "integer"), validation(rule = "self[0] == 1"))]
        pub list: Vec<serde_json::Value>,
        #[crd(max_properties = 9, values(type = "integer"), validation(rule = "self['a'] == 1"))]
        pub map: BTreeMap<String, serde_json::Value>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Empty {}
}
