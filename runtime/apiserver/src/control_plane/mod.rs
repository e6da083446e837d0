//! A real kube-apiserver with its etcd on loopback: controller-runtime's `envtest` for Rust.
//!
//! [`ControlPlane`] starts both programs from the folder that `KUBEBUILDER_ASSETS` names, without
//! Docker and without root, in a few seconds. It installs CustomResourceDefinitions and
//! configurations of webhooks, and makes users. Only with the feature `control-plane`, on Unix.
//!
//! No kubelet, scheduler or controller manager runs: Pods stay `Pending`, nothing is garbage
//! collected, no service accounts are made, a deleted namespace is never emptied, and the aggregated
//! ClusterRoles `admin`, `edit` and `view` have no rules (`system:aggregate-to-view` and the like
//! do). Tests work in namespaces of their own instead ([`ControlPlane::create_namespace`]).
//!
//! ```no_run
//! use genclient::kube::api::{Api, ListParams};
//! use genclient_apiserver::User;
//! use genclient_apiserver::control_plane::{ControlPlane, Manifests};
//! use k8s_openapi::api::core::v1::Pod;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plane = ControlPlane::start().await?;
//! plane.install_crds(&Manifests::read(["config/crd"])?).await?;
//! let namespace = plane.create_namespace("test").await?;
//!
//! // Webhooks of this process: `webhooks.listener()`, `.certificate()` and `.key()` are for their
//! // server.
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
//! The variables are those of envtest. One that is set to the empty string counts as unset.
//!
//! | Variable | Meaning | Default |
//! |---|---|---|
//! | `KUBEBUILDER_ASSETS` | Folder of `etcd` and `kube-apiserver`. | [`ControlPlaneBuilder::binaries`], or `/usr/local/kubebuilder/bin` |
//! | `TEST_ASSET_ETCD` | Path of etcd. | `etcd` in the folder |
//! | `TEST_ASSET_KUBE_APISERVER` | Path of kube-apiserver. | `kube-apiserver` in the folder |
//! | `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT` | How long a start may take, as a duration of Go such as `1m30s`. | `60s`, where envtest has `20s` |
//! | `KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT` | How long each server may take to end after SIGTERM. | `20s` |
//! | `KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT` | `true`: both servers print to stdout and stderr of the test instead of their logs. | `false` |
//! | `USE_EXISTING_CLUSTER` | `true`: nothing is started; the cluster of the current kubeconfig is used. | `false` |
//!
//! `TEST_ASSET_KUBECTL` is not read, as nothing here runs kubectl: give it
//! [`ControlPlane::kubeconfig`]. Nothing is downloaded; `setup-envtest` does that.

mod authority;
mod builder;
mod der;
mod environment;
mod error;
mod flags;
mod life;
mod manifests;
mod objects;
mod port;
mod process;
mod server;
mod settings;
mod users;
mod webhooks;

pub use builder::ControlPlaneBuilder;
pub use error::{ShutdownError, StartError, UserError};
pub use manifests::{ManifestError, Manifests};
pub use objects::{Applied, ApplyError};
pub use server::ControlPlane;
pub use users::AuthenticatedUser;
pub use webhooks::LocalWebhooks;
