//! Structs with serde's attributes on names and fields.

use genclient::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Plain {
    pub name: String,
    pub count: i32,
    pub on: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct Camel {
    pub first_name: String,
    pub http_port: u16,
    pub x: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Kebab {
    pub first_name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct Screaming {
    pub first_name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct RenamedFields {
    #[serde(rename = "type")]
    pub type_: String,
    pub r#ref: String,
    #[serde(rename = "x-y.z/a")]
    pub odd: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Optional {
    pub written_as_null: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaulted: Option<Plain>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Twice {
    pub twice: Option<Option<bool>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(default)]
pub struct AllDefault {
    pub name: String,
    pub count: i32,
    pub list: Vec<String>,
}

impl Default for AllDefault {
    fn default() -> Self {
        Self {
            name: "all".to_owned(),
            count: 7,
            list: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct DefaultFunctions {
    #[serde(default = "three")]
    pub three: i32,
    #[serde(default = "word")]
    pub word: String,
    #[serde(default)]
    pub plain: bool,
}

fn three() -> i32 {
    3
}

fn word() -> String {
    "word".to_owned()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct SkippedFields {
    pub kept: String,
    #[serde(skip)]
    #[proptest(value = "0")]
    pub skipped: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Skipping {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<i32>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(deny_unknown_fields)]
pub struct Denied {
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Newtypes {
    pub text: Text,
    pub number: Number,
    pub list: Texts,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Text(pub String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Number(pub i64);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Texts(pub Vec<Text>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct OptionalNewtype {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(transparent)]
pub struct Transparent {
    pub inner: Plain,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Empty {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Boxed {
    pub boxed: Box<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<Box<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Generic {
    pub text: Holder<String>,
    pub number: Holder<i32>,
    pub nested: Holder<Holder<bool>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Holder<T> {
    pub value: T,
    pub more: Vec<T>,
}

pub type Alias = Vec<Plain>;
pub type Of<T> = Holder<T>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Aliases {
    pub list: Alias,
    pub of: Of<i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Constrained {
    #[schemars(range(min = 1, max = 10))]
    #[crd(minimum = 1, maximum = 10)]
    #[proptest(strategy = "1..=10i32")]
    pub small: i32,
    #[schemars(length(min = 1, max = 5), regex(pattern = "^[a-z]+$"))]
    #[crd(min_length = 1, max_length = 5, pattern = "^[a-z]+$")]
    #[proptest(regex = "[a-z]{1,5}")]
    pub word: String,
    #[schemars(length(min = 1, max = 3))]
    #[crd(min_items = 1, max_items = 3)]
    #[proptest(strategy = "proptest::collection::vec(0..9i32, 1..=3)")]
    pub list: Vec<i32>,
}
