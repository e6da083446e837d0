//! An older version, with types of the newer one.

use genclient::prelude::*;

use super::v1::Limits;

/// A program that ends.
#[genclient]
#[group = "jobs.example.com"]
#[crd(storage)]
pub struct Job {
    pub metadata: ObjectMeta,
    pub limits: Option<Limits>,
}
