//! `Manager::add` with a type that does not implement `Component`.

use genclient_controller::{ComponentHandle, Manager, SetupError, Watch};
use k8s_openapi::api::core::v1::Pod;

fn add(manager: &mut Manager) -> Result<ComponentHandle, SetupError> {
    manager.add(Watch::<Pod>::new())
}

fn main() {}
