pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(validation(rule = "self.metadata.name.size() < 5"))]
    #[crd(validation(rule = "self.spec.inner.anything == 1"))]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(
        validation(rule = "self.minReplicas <= self.maxReplicas"),
        validation(rule = "string(self.minReplicas) == self.name"),
        validation(rule = "self.minReplicas == 1"),
        validation(rule = "self.name.startsWith('a')"),
        validation(rule = "self.name == 'a'"),
        validation(rule = "self.parts.all(p, p.size > 0)", message = "a part has no size"),
        validation(rule = "self.parts.all(a, self.parts.exists(b, a.name == b.name && self.parts.exists(c, c.name == a.name)))", message = "cubic"),
        validation(rule = "!has(self.note) || self.note.size() > 0", field_path = ".note"),
        validation(rule = "true", message_expression = "string(1 + 1)"),
        validation(rule = "!self.name.matches('^a')"),
        validation(rule = "self.name.matches('(a)')")
    )]
    pub struct WidgetSpec {
        pub min_replicas: i32,
        pub max_replicas: i32,
        #[crd(max_length = 63)]
        pub name: String,
        #[crd(max_items = 16)]
        pub parts: Vec<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        #[crd(list_type = "atomic", max_items = 16, items(max_length = 63), validation(rule = "self == oldSelf"))]
        pub fixed: Vec<String>,
        #[crd(max_items = 16, list_type = "map", list_map_keys = ["name"], items(validation(rule = "self.size == oldSelf.size")))]
        pub keyed: Vec<Part>,
        #[crd(max_items = 16, items(max_length = 63, validation(rule = "self.matches('^a')")))]
        pub matched: Vec<String>,
        #[crd(max_items = 1024, validation(rule = "self.all(a, self.exists(b, a == b))"))]
        pub numbers: Vec<i32>,
        #[crd(max_items = 1024, validation(rule = "self.all(a, self.exists(b, a == b))"))]
        pub many: Vec<i32>,
        #[crd(max_items = 16, items(max_length = 1024, validation(rule = "self.contains(self)")))]
        pub texts: Vec<String>,
        #[crd(preserve_unknown_fields, validation(rule = "self.size == 1"))]
        pub kept: Part,
        #[crd(max_properties = 16, keys(pattern = "^[a-z]+$"))]
        pub unbounded: BTreeMap<String, String>,
        #[crd(
            schema = {
                "type": "object",
                "properties": { "a": { "type": "integer" } },
                "required": ["a"],
                "x-kubernetes-preserve-unknown-fields": true
            },
            validation(rule = "self.a == 1")
        )]
        pub open: serde_json::Value,
        #[crd(validation(rule = "self.lines.all(line, line == 'a')"))]
        pub inner: Inner,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, genclient::CrdSchema)]
    pub struct Inner {
        #[crd(type = "integer")]
        pub anything: serde_json::Value,
        #[crd(max_items = 16)]
        pub lines: Vec<String>,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub sized: Vec<Sized>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(validation(rule = "self.size == oldSelf.size"))]
    pub struct Sized {
        pub name: String,
        pub size: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        #[crd(max_length = 63)]
        pub name: String,
        pub size: i32,
    }
}
