//! Real control plane for tests: kube-apiserver and etcd on loopback, like controller-runtime's
//! `envtest`.
//!
//! [`ControlPlane`] starts both programs from the folder in `KUBEBUILDER_ASSETS` in a few seconds,
//! without Docker and without root. It installs CustomResourceDefinitions, webhook configurations
//! and other objects, and issues credentials for users. It needs Unix.
//!
//! No kubelet, scheduler or controller manager runs. Pods stay `Pending`, nothing is garbage
//! collected, no service accounts are created, and a deleted namespace is never emptied. The
//! aggregated ClusterRoles `admin`, `edit` and `view` have no rules. Each test should create its
//! own namespace ([`ControlPlane::create_namespace`]).
//!
//! ```no_run
//! use genclient::kube::api::{Api, ListParams};
//! use genclient_apiserver::User;
//! use genclient_envtest::{ControlPlane, Manifests};
//! use k8s_openapi::api::core::v1::Pod;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plane = ControlPlane::start().await?;
//! plane.install_crds(&Manifests::read(["config/crd"])?).await?;
//! let namespace = plane.create_namespace("test").await?;
//!
//! // The webhook server of this process gets `webhooks.listener()`, `.certificate()`, `.key()`.
//! let webhooks = plane.local_webhooks()?;
//! let manifests = Manifests::read(["config/webhook/manifests.yaml"])?;
//! plane.install_webhooks(&manifests, &webhooks).await?;
//!
//! // A user without a role is refused.
//! let manager = plane.user(User::service_account(&namespace, "manager")).await?;
//! let pods: Api<Pod> = Api::namespaced(manager.client(), &namespace);
//! assert!(pods.list(&ListParams::default()).await.is_err());
//!
//! plane.shutdown().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Environment
//!
//! The variables are those of envtest. An empty variable counts as unset.
//!
//! - `KUBEBUILDER_ASSETS`: the folder of `etcd` and `kube-apiserver`. Default:
//!   [`ControlPlaneBuilder::binaries`], or `/usr/local/kubebuilder/bin`.
//! - `TEST_ASSET_ETCD`: the path of etcd. Default: `etcd` in the folder.
//! - `TEST_ASSET_KUBE_APISERVER`: the path of kube-apiserver. Default: `kube-apiserver` in the
//!   folder.
//! - `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT`: the timeout of a start, as a Go duration such as
//!   `1m30s`. Default: `60s`, where envtest has `20s`.
//! - `KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT`: how long each server may run after SIGTERM. Default:
//!   `20s`.
//! - `KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT`: if `true`, both servers print to stdout and stderr
//!   of the test instead of into log files. Default: `false`.
//! - `USE_EXISTING_CLUSTER`: if `true`, no servers are started, and the cluster of the current
//!   kubeconfig is used. Default: `false`.
//!
//! `TEST_ASSET_KUBECTL` is not read, since kubectl is not run here. A test can run kubectl with
//! [`ControlPlane::kubeconfig`]. To download the programs, use `setup-envtest`.

mod authority;
mod builder;
mod environment;
mod error;
mod flags;
mod install;
mod lifecycle;
mod manifests;
mod objects;
mod port;
mod process;
mod server;
mod temporary_folder;
mod users;
mod webhooks;

pub use builder::ControlPlaneBuilder;
pub use error::{ShutdownError, StartError, UserError};
pub use manifests::{ManifestError, Manifests};
pub use objects::{Applied, ApplyError};
pub use server::ControlPlane;
pub use users::AuthenticatedUser;
pub use webhooks::LocalWebhooks;
