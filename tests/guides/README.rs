//! Context of README.md.

mod v1 {
    // block: From a type to its output

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct GPUTaskSpec {
        gpu: String,
    }
}

mod controller {
    use std::sync::Arc;

    use clap::Parser as _;
    use genclient::{rbac, signals};
    use genclient_controller::{
        Action, Context, Controller, Manager, ManagerFlags, Reconciler, Result, Watch,
    };
    use gputask::apis::falldio::v1::GPUTask;
    use k8s_openapi::api::core::v1::Pod;

    // block: A controller

    fn pod_for(task: &GPUTask) -> Pod {
        Pod::default()
    }
}
