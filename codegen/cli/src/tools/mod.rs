//! External programs that commands call: kubectl, docker or podman, cargo, rustfmt, and this
//! project's API server.

mod cargo;
mod children;
mod container_tool;
mod http;
mod kubeconfig;
mod kubectl;
mod kubectl_error;
mod kubectl_proxy;
mod local_server;
mod program;
mod rustfmt;
mod temporary_folder;

pub(crate) use cargo::{CargoCheck, CargoTargets, find_manifest};
pub(crate) use container_tool::ContainerTool;
pub(crate) use kubeconfig::check_kubeconfig;
pub(crate) use kubectl::Kubectl;
pub(crate) use kubectl_proxy::KubectlProxy;
pub(crate) use local_server::{LocalServer, SERVER_PROGRAM, check_server, free_address};
pub(crate) use program::Program;
pub(crate) use rustfmt::format_rust;
