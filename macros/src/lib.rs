//! Macros of genclient, for use through the crate `genclient`, which their output needs.

mod crd_schema;
mod genclient;

use proc_macro::TokenStream;

/// Makes a struct a kind of Kubernetes.
///
/// It stands above every derive, and reads `#[group]`, `#[version]`, `#[kind]` and `#[crd(..)]`
/// below it. The group is required; the version is by default the nearest enclosing module named
/// like one (`v1`, `v1beta2`), the kind the name of the struct. The struct has named fields, one of
/// them `metadata: ObjectMeta`.
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
/// - `Serialize` and `Deserialize`, whatever it derives: `apiVersion` and `kind` are written first,
///   and on reading may be absent but not another kind's. `#[serde(..)]` on the struct and its
///   fields means what it means elsewhere;
/// - `kube::Resource`, so that `kube::Api` takes it, and `HasSpec` and `HasStatus` for fields
///   `spec` and `status: Option<_>`.
///
/// The command `genclient update` reads the same attributes and writes clients, listers, informers
/// and the CRD; `genclient explain` says what each attribute does.
#[proc_macro_attribute]
pub fn genclient(attr: TokenStream, item: TokenStream) -> TokenStream {
    genclient::expand(attr.into(), item.into(), genclient::above_call_site).into()
}

/// Checks the `#[crd(..)]` attributes of a type that a kind is made of.
///
/// The command `genclient update` makes the schema of the CRD from the same attributes. The derive
/// makes no code: it lets `#[crd(..)]` stand on the type and its fields, and shows a mistake where
/// it is made.
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
