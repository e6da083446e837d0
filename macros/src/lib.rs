//! Procedural macros of genclient: `#[genclient]`, `#[derive(CrdSchema)]`, `#[webhook]` and
//! `#[rbac]`.
//!
//! Use them through the crate `genclient`, which the generated code refers to.

mod crd_schema;
mod genclient;
mod rbac;
mod webhook;

use proc_macro::TokenStream;

/// Turns a struct into a Kubernetes kind.
///
/// Write `#[genclient]` above every derive and above the other attributes of the kind. `#[group]`
/// is required. `#[version]` defaults to the nearest enclosing module named like a version (`v1`,
/// `v1beta2`), and `#[kind]` defaults to the name of the struct. `#[crd(..)]` adds settings of the
/// CRD. The struct must have named fields, among them `metadata: ObjectMeta`.
///
/// ```
/// use genclient::kube::Resource;
/// use genclient::prelude::*;
///
/// /// Asks for a pod on a node with a given GPU.
/// #[genclient]
/// #[group = "falldio.com"]
/// #[version = "v1"]
/// pub struct GPUTask {
///     pub metadata: ObjectMeta,
///     pub spec: GPUTaskSpec,
/// }
///
/// #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
/// pub struct GPUTaskSpec {
///     #[crd(min_length = 1)]
///     pub gpu: String,
/// }
///
/// assert_eq!(GPUTask::api_version(&()), "falldio.com/v1");
/// assert_eq!(GPUTask::plural(&()), "gputasks");
/// ```
///
/// The struct gets
/// - `Clone` and `Debug`, if it does not derive them;
/// - `Serialize` and `Deserialize`, in place of derived ones. Serializing writes `apiVersion` and
///   `kind` first. Deserializing accepts input without them and rejects input of another kind or
///   version. `#[serde(..)]` on the struct and its fields has its usual meaning;
/// - `kube::Resource`, so that `kube::Api` accepts the struct;
/// - `HasSpec` for a field `spec`, and `HasStatus` for a field `status: Option<_>`.
///
/// The command `genclient update` reads the same attributes and writes clients, listers, informers
/// and the CRD. `genclient explain` documents each attribute.
#[proc_macro_attribute]
pub fn genclient(attr: TokenStream, item: TokenStream) -> TokenStream {
    genclient::expand(attr.into(), item.into(), genclient::above_call_site).into()
}

/// Checks the `#[crd(..)]` attributes of a type that a kind contains, such as its spec.
///
/// The command `genclient update` generates the schema of the CRD from the same attributes. The
/// derive generates no code. It allows `#[crd(..)]` on the type and its fields, and reports each
/// error at its token.
///
/// ```
/// use genclient::prelude::*;
///
/// #[derive(CrdSchema)]
/// #[crd(validation(rule = "self.min <= self.max", message = "min is above max"))]
/// pub struct Range {
///     #[crd(minimum = 0)]
///     pub min: i32,
///     pub max: i32,
/// }
/// ```
///
/// ```compile_fail
/// use genclient::prelude::*;
///
/// #[derive(CrdSchema)]
/// pub struct Range {
///     #[crd(minimun = 0)] // unknown key `minimun`: did you mean `minimum`?
///     pub min: i32,
/// }
/// ```
#[proc_macro_derive(CrdSchema, attributes(crd))]
pub fn crd_schema(item: TokenStream) -> TokenStream {
    crd_schema::expand(item.into()).into()
}

/// Registers an impl of `Defaulter` or `Validator`, traits of the crate `genclient-controller`, as
/// an admission webhook in `config/webhook/manifests.yaml`.
///
/// The command `genclient update` writes the requests that the webhook intercepts, its endpoint,
/// and the failure policy. Every key has a default; `genclient explain webhook` lists the keys.
/// With `path` or `url`, the impl gets the constant `PATH`, the path at which it is served.
/// Otherwise the impl is unchanged.
///
/// ```
/// # trait Validator { type Object; const PATH: Option<&'static str> = None; }
/// # struct Task;
/// struct Quota;
///
/// #[genclient::webhook(operations = ["create"], timeout = 5, path = "/validate-quota")]
/// impl Validator for Quota {
///     type Object = Task;
///     // ..
/// }
///
/// assert_eq!(Quota::PATH, Some("/validate-quota"));
/// ```
///
/// ```compile_fail
/// # trait Validator { type Object; const PATH: Option<&'static str> = None; }
/// # struct Task;
/// # struct Quota;
/// #[genclient::webhook(timeout = 60)] // `timeout` must be between 1 and 30 seconds
/// impl Validator for Quota {
///     type Object = Task;
/// }
/// ```
#[proc_macro_attribute]
pub fn webhook(attr: TokenStream, item: TokenStream) -> TokenStream {
    webhook::expand(attr.into(), item.into()).into()
}

/// Declares a permission that a controller needs: an RBAC rule of the role in
/// `config/rbac/role.yaml`.
///
/// Write the attribute on any item or method, usually on the `impl Reconciler` that needs the rule.
/// It may be repeated. The command `genclient update` writes the role and merges the rules as
/// controller-gen does. `genclient explain rbac` lists the keys. The item is unchanged.
///
/// ```
/// # mod k8s_openapi { pub struct Pod; }
/// # use k8s_openapi::Pod;
/// # struct Tasks;
/// #[genclient::rbac(resource = Pod, verbs = ["create", "delete"])]
/// #[genclient::rbac(group = "apps", resources = ["deployments/status"], verbs = ["get"])]
/// impl Tasks {
///     // ..
/// }
/// ```
///
/// ```compile_fail
/// # struct Tasks;
/// #[genclient::rbac(resources = ["pods"], verbs = ["create"])] // `resources` needs `group`
/// impl Tasks {}
/// ```
#[proc_macro_attribute]
pub fn rbac(attr: TokenStream, item: TokenStream) -> TokenStream {
    rbac::expand(attr.into(), item.into()).into()
}
