//! Prelude of files with API types: `use genclient::prelude::*;`

pub use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, LabelSelector, MicroTime, ObjectMeta, Time,
};
pub use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
pub use kube::core::Duration;
pub use serde::{Deserialize, Serialize};

pub use crate::{CrdSchema, genclient};
