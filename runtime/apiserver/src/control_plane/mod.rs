//! A real kube-apiserver and its etcd on loopback, for one test binary.
//!
//! No kubelet, scheduler or controller manager runs: Pods stay `Pending`, nothing is garbage collected, and a deleted
//! namespace is never emptied. Tests work in namespaces of their own instead.
//!
//! The binaries come from the folder that `KUBEBUILDER_ASSETS` names, as for controller-runtime's `envtest`.

mod error;
mod eventually;
mod flags;
mod objects;
mod port;
mod process;
mod server;

pub use error::StartError;
pub use eventually::{NotYet, eventually};
pub use objects::{Applied, ApplyError};
pub use server::{ControlPlane, assets};
