//! Several errors, each at its own token, and no follow-up errors where the kind is used.
use genclient::kube::Resource;
use genclient::kube::core::object::{HasSpec, HasStatus};
use genclient::prelude::*;

#[genclient(only_verbs = ["gett"], nostatus)]
#[crd(shortnames = ["gt"], scope = "cluster", storage = 1)]
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GPUTask {
    pub metadata: ObjectMeta,
    #[crd(minimun = 1)]
    #[serde(default)]
    pub spec: u8,
    pub status: Option<u8>,
}

fn use_it(task: &mut GPUTask) -> serde_json::Result<String> {
    *task.spec_mut() += 1;
    *task.status_mut() = None;
    let _ = (task.spec(), task.status(), task.meta().name.clone(), GPUTask::plural(&()));
    let _ = (task.clone() == *task, format!("{task:?}"), serde_json::from_str::<GPUTask>("{}"));
    serde_json::to_string(task)
}

fn main() {
    let _ = use_it;
}
