//! Types whose configurations lints would report.

#![allow(deprecated, reason = "the types are part of the API")]

use genclient::prelude::*;
use serde::{Deserialize, Serialize};

#[genclient]
#[group = "lints.example.com"]
#[version = "v1"]
pub struct Linted {
    pub metadata: ObjectMeta,
    /// The first of `items[0]`.
    pub mode: Mode,
    /// One variant is large outside of its `Box`.
    pub backend: Backend,
}

#[deprecated(note = "use `backend`")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub enum Mode {
    On,
    Off,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub enum Backend {
    Nothing {},
    Program(Box<Program>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct Program {
    pub image: String,
    pub command: String,
    pub arguments: String,
    pub environment: String,
    pub folder: String,
    pub user: String,
    pub group: String,
    pub input: String,
    pub output: String,
    pub errors: String,
}
