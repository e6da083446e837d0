//! Structs with flattened fields.

use genclient::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;

use super::enums::{External, Internal};
use super::structs::{Camel, Plain};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct FlattenedStruct {
    pub own: i32,
    #[serde(flatten)]
    pub plain: Plain,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct FlattenedTwice {
    #[serde(flatten)]
    pub plain: Plain,
    #[serde(flatten)]
    pub camel: Camel,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct FlattenedOption {
    pub own: i32,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub plain: Option<Plain>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct FlattenedEnum {
    pub own: bool,
    #[serde(flatten)]
    pub kind: External,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct FlattenedTagged {
    pub own: bool,
    #[serde(flatten)]
    pub kind: Internal,
}
