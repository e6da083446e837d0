//! Numbers and texts.

use genclient::prelude::*;
use proptest_derive::Arbitrary;
use schemars::JsonSchema;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Arbitrary, CrdSchema)]
pub struct Integers {
    pub a: i32,
    pub b: i64,
    pub c: u32,
    // The API server stores integers of 64 bits with a sign.
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
    // What is not finite is written as null.
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
