//! Known types: rules, defaults, paths and choices fit their schemas.

use std::collections::HashMap;

use genclient::prelude::*;
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::api::core::v1::PodSpec;

#[genclient]
#[group = "errors.example.com"]
#[version = "v1"]
#[crd(
    selectable_field = ".spec.size.a",
    printcolumn(name = "Size", type = "string", json_path = ".spec.size"),
    printcolumn(name = "Deep", type = "string", json_path = ".spec.size.name"),
    scale(spec_replicas_path = ".spec.size.a", status_replicas_path = ".status.count.of")
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
    validation(rule = "self.size == oldSelf.size"),
    validation(rule = "self.size.a > 1 && string(self.size.of) == 'a'"),
    validation(rule = "self.sizes.all(size, size.of < 3)"),
    validation(rule = "!has(self.size) || self.?size.a.orValue(1) == 1"),
    validation(rule = "self.pairs.exists(k, self.pairs[k].a == 1)"),
    validation(rule = "!has(self.flat.a) || self.flat.a == 1", message_expression = "self.flat.b"),
    validation(rule = "self.flat.any"),
    validation(rule = "self.size.a > self.size.a"),
    exactly_one_of = ["size", "event"]
)]
pub struct WidgetSpec {
    pub pod: PodSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
    #[crd(default = { "a": 1, "name": "", "of": 1 })]
    pub filled: Size,
    #[crd(validation(rule = "self.a == 1"))]
    pub size: Option<Size>,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    pub sizes: Vec<Size>,
    #[crd(max_properties = 3)]
    pub pairs: std::collections::BTreeMap<Key, Size>,
    pub map: HashMap<String, String>,
    #[crd(default = { "a": 1, "any": true })]
    pub flat: Flat,
    pub either: Either,
    pub misspelt: Flat,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Flat {
    #[serde(flatten)]
    pub rest: Rest,
    pub own: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Size {
    pub a: i32,
    pub name: String,
    pub of: i32,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Key(pub String);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Rest {
    pub a: Option<i32>,
    pub b: Option<String>,
    pub any: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(untagged)]
#[crd(at_most_one_of = ["a", "b"])]
pub enum Either {
    Flat(Flat),
    Text { text: String },
}
