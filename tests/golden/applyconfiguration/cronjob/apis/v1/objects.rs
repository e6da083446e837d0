//! Structs, lists and maps that are types of fields.

use std::collections::BTreeMap;

use genclient::prelude::*;
use k8s_openapi::ByteString;
use serde_json::Value;

use super::super::external::ExternalData;

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct NestedObject {
    pub foo: String,
    pub bar: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(struct_type = "atomic")]
pub struct NestedStructWithSeveralFields(pub NestedObject);

pub type JustNestedObject = NestedObject;

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct RootObject {
    pub nested: NestedObject,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(min_properties = 1, max_properties = 2)]
pub struct MinMaxObject {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foo: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bar: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baz: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct EmpiableObject {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[crd(default = "forty-two")]
    pub foo: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bar: String,
}

/// Object whose unknown fields are preserved.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
#[crd(schemaless, type = "object", preserve_unknown_fields)]
pub struct Preserved {
    pub concrete_field: String,
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct ContainsNestedMap {
    #[serde(
        rename = "innerMap",
        default,
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub inner_map: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct AssociativeType {
    pub name: String,
    pub secondary: i64,
    pub foo: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(list_type = "map", list_map_keys = ["name", "secondary"])]
pub struct NestedAssociativeList(pub Vec<AssociativeType>);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(list_type = "map", list_map_keys = ["name", "secondary"])]
pub struct K8sNestedAssociativeList(pub Vec<AssociativeType>);

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(map_type = "granular")]
pub struct NestedMapOfInfo(pub BTreeMap<String, ByteString>);

/// Flattened private struct.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub(super) struct PrivateStruct {
    pub foo: String,
}

/// Flattened struct with a field that is not serialized.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct PublicStruct {
    pub baz: String,
    #[serde(skip)]
    pub qux: String,
}

pub type InlineAlias = EmbeddedStruct;

/// Struct that is flattened through an alias.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedStruct {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_embedded: Option<String>,
}

/// Struct that is flattened if present.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct InlinePointerStruct {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_pointer: Option<String>,
}

/// Struct that adds a field to one of another module.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct EmbeddedExternalSpec {
    #[serde(flatten)]
    pub data: ExternalData,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}
