//! Tests against a real kube-apiserver and etcd.
//!
//! ```console
//! $ export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)      # builds both, once
//! $ cargo test -p e2e --test e2e
//! ```
//!
//! Without `KUBEBUILDER_ASSETS`, the tests are reported as ignored. Most of them share one control
//! plane, run concurrently and work in separate namespaces. A test that stops the API server
//! requests its own control plane.

mod application;
mod builtins;
mod causes;
mod cel;
mod client;
mod constraints;
mod control_plane;
mod controller;
mod controller_gen;
mod conversion;
mod crds;
mod deployment;
mod enums;
mod goldens;
mod gputask;
mod informer;
mod leader;
mod migration;
mod programs;
mod record;
mod renderings;
mod roles;
mod secure_metrics;
mod shard_caches;
mod sharding;
mod shards;
mod strings;
mod values;
mod verbs;
mod verdicts;
mod webhook_manifests;
mod webhooks;

use std::process::ExitCode;

use e2e::suite::{self, Suite};

fn main() -> ExitCode {
    if let Some(ended) = leader::replica()
        .or_else(informer::observer)
        .or_else(controller::role)
    {
        return ended;
    }
    let mut suite = match Suite::new() {
        Ok(suite) => suite,
        Err(error) => {
            eprintln!("no runtime for the e2e tests: {error}");
            return ExitCode::FAILURE;
        }
    };
    constraints::tests(&mut suite);
    control_plane::tests(&mut suite);
    conversion::tests(&mut suite);
    controller::tests(&mut suite);
    causes::tests(&mut suite);
    cel::tests(&mut suite);
    client::tests(&mut suite);
    crds::tests(&mut suite);
    controller_gen::tests(&mut suite);
    builtins::tests(&mut suite);
    goldens::tests(&mut suite);
    secure_metrics::tests(&mut suite);
    shards::tests(&mut suite);
    strings::tests(&mut suite);
    values::tests(&mut suite);
    enums::tests(&mut suite);
    verbs::tests(&mut suite);
    renderings::tests(&mut suite);
    roles::tests(&mut suite);
    webhook_manifests::tests(&mut suite);
    gputask::tests(&mut suite);
    informer::tests(&mut suite);
    leader::tests(&mut suite);
    shard_caches::tests(&mut suite);
    sharding::tests(&mut suite);
    migration::tests(&mut suite);
    programs::tests(&mut suite);
    record::tests(&mut suite);
    application::tests(&mut suite);
    deployment::tests(&mut suite);
    webhooks::tests(&mut suite);
    suite.run()
}
