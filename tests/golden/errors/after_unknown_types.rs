//! Unknown types: one error at each use, and none that only follows from a missing schema.

use genclient::prelude::*;

#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
#[crd(
    selectable_field = ".spec.size",
    printcolumn(name = "Size", type = "integer", json_path = ".spec.size"),
    printcolumn(name = "Deep", type = "string", json_path = ".spec.size.of.what"),
    scale(spec_replicas_path = ".spec.size", status_replicas_path = ".status.count.of")
)]
pub struct Widget {
    pub metadata: ObjectMeta,
    pub spec: WidgetSpec,
    pub status: Option<WidgetStatus>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct WidgetStatus {
    pub count: Option<Size>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(
    validation(rule = "self.size"),
    validation(rule = "self.size > 1 && self.size.of == 'a'"),
    validation(rule = "self.sizes.all(size, size.of < 3)"),
    validation(rule = "!has(self.size) || self.?size.orValue(1) == 1"),
    validation(rule = "self.pairs.exists(k, self.pairs[k] == 1)"),
    validation(rule = "self.flat.a == 1", message_expression = "self.flat.b"),
    validation(rule = "self.flat.any"),
    validation(rule = "self.size > self.szie"),
    exactly_one_of = ["size", "event"]
)]
pub struct WidgetSpec {
    pub pod: PodSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
    #[crd(default = { "a": 1 })]
    pub filled: Size,
    #[crd(validation(rule = "self.a == 1"))]
    pub size: Option<Size>,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    pub sizes: Vec<Size>,
    #[crd(max_properties = 3)]
    pub pairs: std::collections::BTreeMap<Key, Size>,
    pub map: HashMap<String, String>,
    #[crd(default = { "a": 1 })]
    pub flat: Flat,
    pub either: Either,
    pub misspelt: Flatt,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(at_most_one_of = ["a", "b"])]
pub struct Flat {
    #[serde(flatten)]
    pub rest: Rest,
    pub own: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(untagged)]
pub enum Either {
    Flat(Flat),
    Text { text: String },
}
