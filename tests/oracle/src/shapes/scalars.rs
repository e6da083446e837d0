//! Numbers, strings and untyped values.

use std::collections::BTreeMap;

use genclient::prelude::*;
use proptest::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Integers {
    pub a: i32,
    pub b: i64,
    pub c: u32,
    // The API server stores signed integers of 64 bits.
    #[proptest(strategy = "0..=i64::MAX as u64")]
    pub d: u64,
    #[proptest(strategy = "0..=i64::MAX as usize")]
    pub e: usize,
    pub f: isize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Narrow {
    pub a: i8,
    pub b: u8,
    pub c: i16,
    pub d: u16,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Bounded {
    pub a: std::num::NonZeroU8,
    pub b: std::num::NonZeroU32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Floats {
    // serde_json writes infinite numbers and NaN as null.
    #[proptest(strategy = "proptest::num::f32::NORMAL")]
    pub a: f32,
    #[proptest(strategy = "proptest::num::f64::NORMAL")]
    pub b: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Texts {
    pub a: String,
    pub b: char,
    pub c: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Anything {
    #[proptest(strategy = "anything()")]
    pub value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[proptest(
        strategy = "proptest::option::of(anything().prop_filter(\"null is None\", |value| !value.is_null()))"
    )]
    pub optional: Option<Value>,
    #[proptest(strategy = "proptest::collection::vec(anything(), 0..3)")]
    pub list: Vec<Value>,
    #[proptest(strategy = "proptest::collection::btree_map(\"[a-z]\", anything(), 0..3)")]
    pub map: BTreeMap<String, Value>,
}

fn anything() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,3}".prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
