//! Enums in each of serde's representations.

use genclient::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;

use super::structs::Plain;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub enum Units {
    First,
    SecondOne,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lowercase {
    First,
    SecondOne,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub enum Renamed {
    First,
    #[serde(rename = "2nd")]
    SecondOne,
    HTTPServer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub enum External {
    Text(String),
    Number(i32),
    Object(Plain),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Structs {
    One {
        first_name: String,
    },
    Two {
        second_name: Option<String>,
        count: i32,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub enum Braced {
    Stop {},
    Go { speed: u8 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Internal {
    Text {
        text: String,
    },
    Number {
        number: i32,
        #[serde(skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    Object(Plain),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(tag = "type")]
pub enum InternalUnits {
    Off,
    On { level: u8 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(tag = "type", content = "value")]
pub enum Adjacent {
    First { a: i32 },
    Second { a: i32, b: Option<String> },
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
#[serde(untagged)]
pub enum Untagged {
    Named { name: String },
    Counted { count: i32 },
}
