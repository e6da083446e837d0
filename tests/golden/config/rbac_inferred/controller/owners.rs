//! Owner references to a kind that the parent module reconciles.

use genclient_controller::owner::{OwnerError, set_controller_reference};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::config_rbac_inferred::apis::v1::Task;

pub fn own(task: &Task, pod: &mut Pod) -> Result<(), OwnerError> {
    set_controller_reference(task, pod)
}

pub fn blocking() -> OwnerReference {
    OwnerReference {
        block_owner_deletion: Some(true),
        ..OwnerReference::default()
    }
}
