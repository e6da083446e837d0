//! Runtime library of generated clients: typed clients, caches, listers and informers for
//! Kubernetes API types.
//!
//! API types are structs with `#[genclient]`. `genclient update` writes their clients and CRDs:
//!
//! ```
//! use genclient::prelude::*;
//!
//! /// Asks for a Pod on a node with a given GPU.
//! #[genclient]
//! #[group = "falldio.com"]
//! #[version = "v1"]
//! pub struct GPUTask {
//!     pub metadata: ObjectMeta,
//!     pub spec: GPUTaskSpec,
//! }
//!
//! /// Desired state of a [`GPUTask`].
//! #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
//! pub struct GPUTaskSpec {
//!     pub gpu: String,
//! }
//! ```
//!
//! Many modules have the names of client-go's packages. Programs mostly import three of them: the
//! [`prelude`] in files with API types, `client` for the parameters of verbs, and `informer` for
//! handlers. Controllers are in the crate `genclient-controller`, test servers in
//! `genclient-apiserver`, and guides in the folder `docs` of the repository.
//!
//! | module | content |
//! |---|---|
#![cfg_attr(
    feature = "client",
    doc = "| [`applyconfiguration`] | the fields of an object that a manager states by server-side apply |\n\
           | [`client`] | the verbs of one kind, and the connection to the API server |\n\
           | [`clock`] | wall clock that a test can set |\n\
           | [`config`] | client configuration from flags, a kubeconfig, or the Pod's service account |\n\
           | [`cache`] | objects in memory, found by name, namespace and named index |\n\
           | [`lister`] | read-only access to cached objects |\n\
           | [`informer`] | shared informers, which are caches with event handlers, and their factory |\n\
           | [`workqueue`] | queues of keys for workers: at most one worker per key, delays, rate limits, shutdown |\n\
           | [`record`] | recorder of Kubernetes events, which are written in the background |\n\
           | [`metrics`] | metrics of clients, caches and queues, for Prometheus or another collector |\n\
           | [`pager`] | lists requested in pages |\n\
           | [`retry`] | retries after conflicts and other errors |\n\
           | [`wait`] | polling, backoff, and waiting for a condition of an object |\n\
           | [`signals`] | shutdown on SIGINT and SIGTERM |\n\
           | [`crd`] | CustomResourceDefinitions parsed from YAML |"
)]
#![cfg_attr(
    feature = "leader-election",
    doc = "| [`leaderelection`] | leader election: only one replica of a program works at a time |\n\
           | [`sharding`] | sharding: the replicas of a program share the objects |"
)]
//! | [`conditions`] | status conditions of an object |
//! | [`conversion`] | conversion of objects between the versions of a kind |
//! | [`reference`](mod@reference) | references to objects, for status fields and events |
//! | [`scheme`] | kinds and resources as data, and the kind of an object in JSON |
//!
//! # Tracing
//!
//! The runtime emits spans and events of the crate `tracing`, with kube's field names. They cost
//! nothing if no subscriber enables their level. Frequent operations are never traced: changes of a
//! cache by watch events, calls of handlers, and keys that enter or leave a queue.
//!
//! | span, level `DEBUG` | covers | own fields |
//! |---|---|---|
//! | `HTTP` | one request | `http.method`, `http.url`, `http.status_code`, verb as `otel.name` |
//! | `list` | a list of a reflector, paged or streamed | `streamed`, requested `resource_version` |
//! | `watch` | a watch of a reflector, lasting minutes | `resource_version` after which it starts |
//!
//! | field | present on | value |
//! |---|---|---|
//! | `object.kind` | lists, watches and their failures | `Deployment` |
//! | `resource` | lists, watches and their failures | `deployments.v1.apps` |
//! | `namespace` | lists, watches and their failures | absent if all namespaces are read |
//! | `object.ref` | log events about one object | `Deployment.v1.apps/web.default` |
//! | `resource_version` | log events of lists and watches | version up to which changes are known |
//! | `error` | failures | the error; subscribers may show its causes as `error.sources` |
//! | `lock` | leader election | namespace and name of the lease |
//!
//! `ERROR`: a Kubernetes event cannot be written, a callback panicked, or an informer failed.
//! `WARN`: a failure that is retried; an undecodable object; a dropped Kubernetes event; or a
//! warning of the API server. If a list or watch fails in the same way again, the repetition is
//! logged at `DEBUG`. An outage of the API server is logged at `WARN` when it begins and every
//! 30 s, and at `INFO` when it ends. Changes of the leader or of shards, long throttling and a
//! signal for shutdown are logged at `INFO`. Nearly everything else has level `DEBUG`, for example
//! `listed`, `watch ended`, `resource version expired; relisting`, and each attempt to acquire a
//! lease that another replica holds.
//!
//! # Features
//!
//! - `client` (default): everything that talks to an API server. Without it, a crate of API types
//!   has kube's core types and the macros, but no HTTP, no TLS and no async runtime.
//! - `leader-election` (default): `leaderelection` and `sharding`.
//! - `rustls-tls`, `ring` (default): TLS, and its cryptography.
//! - `prometheus`: the Prometheus text format in `metrics`.
//! - `http-server`: parts for the other crates of genclient.
//! - `openssl-tls`, `aws-lc-rs`, `webpki-roots`, `gzip`, `http-proxy`, `socks5`, `oauth`, `oidc`,
//!   `ws`: kube's features of these names. For TLS and proxies, it is not enough to enable them for
//!   kube.
//!
//! The program selects the version of the built-in Kubernetes types with a version feature of
//! `k8s-openapi`.

pub use genclient_macros::{CrdSchema, genclient, rbac, webhook};
#[doc(hidden)]
pub use serde_json;
pub use {k8s_openapi, kube, serde};

pub mod conditions;
pub mod conversion;
mod json;
mod nesting;
pub mod prelude;
pub mod reference;
pub mod scheme;

cfg_if::cfg_if! {
    if #[cfg(feature = "client")] {
        pub mod applyconfiguration;
        pub mod cache;
        mod error_chain;
        pub mod client;
        pub mod clock;
        pub mod config;
        pub mod crd;
        mod host_name;
        #[cfg(feature = "http-server")]
        #[doc(hidden)]
        pub mod http_server;
        pub mod informer;
        mod jitter;
        #[cfg(feature = "leader-election")]
        pub mod leaderelection;
        pub mod lister;
        pub mod metrics;
        mod object_ref;
        pub mod pager;
        #[doc(hidden)]
        pub mod panics;
        pub mod record;
        mod reflector;
        pub mod retry;
        pub mod sharding;
        pub mod signals;
        mod sync;
        mod time;
        pub mod wait;
        pub mod workqueue;
    }
}

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// Contract number: version of the interface between generated code and this crate.
///
/// Generated code passes the number that it was generated for to [`assert_contract`]. The number
/// changes only when generated code has to change.
pub const CONTRACT: u32 = 2;

/// Fails to compile if the calling code was generated for another contract number.
///
/// ```
/// const _: () = genclient::assert_contract(2);
/// ```
///
/// ```compile_fail
/// const _: () = genclient::assert_contract(0);
/// ```
///
/// # Panics
///
/// If `generated_for` is not [`CONTRACT`]. Generated code calls this function in a `const`, where a
/// panic is a compile error.
pub const fn assert_contract(generated_for: u32) {
    assert!(
        generated_for == CONTRACT,
        "the generated client does not match this version of the crate genclient: run `genclient update`"
    );
}
