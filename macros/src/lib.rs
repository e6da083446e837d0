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
/// and the CRD. `genclient explain KEY` has the details of each key. The keys of
/// [`CrdSchema`](macro@CrdSchema) for types apply to the struct, too.
///
/// # Keys of `#[genclient(..)]`
///
/// - `group`: API group of the kind, the same as `#[group]`.
/// - `version`: API version of the kind, the same as `#[version]`.
/// - `kind`: Name of the kind, the same as `#[kind]`.
/// - `no_status`: Omits the status subresource and its verbs, even if the struct has a field
///   `status`.
/// - `non_namespaced`: Makes the kind cluster-scoped.
/// - `no_verbs`: Generates a client without verbs, for hand-written methods only.
/// - `only_verbs`: Generates only these verbs in the client.
/// - `skip_verbs`: Generates all verbs except these in the client.
/// - `readonly`: Generates only `get`, `list` and `watch` in the client.
/// - `method`: Adds a method to the client.
/// - `skip_crd`: Generates no CRD, because another project owns it.
/// - `skip_client`: Generates only the CRD: no client, lister or informer.
///
/// # Keys of `#[crd(..)]` on a kind
///
/// - `plural`: Plural name of the resource, in lower case.
/// - `singular`: Singular name of the resource, in lower case.
/// - `short_names`: Short names for `kubectl get`.
/// - `categories`: Categories that `kubectl get` lists the resource in, such as `all`.
/// - `scope`: Scope of the resource: namespaced or cluster.
/// - `scale`: Enables the scale subresource, with `get_scale` and `update_scale` in the client.
/// - `status`: Enables the status subresource of a kind without a field `status`.
/// - `printcolumn`: A printer column of `kubectl get`.
/// - `selectable_field`: A field that field selectors may use.
/// - `storage`: Marks this version as the storage version.
/// - `unserved`: Marks this version as not served.
/// - `deprecated`: Marks this version as deprecated: the API server warns its clients, with the
///   given text if any.
/// - `skip_version`: Omits this version from the CRD.
/// - `annotation`: An annotation of the CRD.
/// - `label`: A label of the CRD.
/// - `conversion`: Conversion webhook between versions.
#[proc_macro_attribute]
pub fn genclient(attr: TokenStream, item: TokenStream) -> TokenStream {
    genclient::expand(attr.into(), item.into(), genclient::above_call_site).into()
}

/// Checks the `#[crd(..)]` attributes of a type that a kind contains, such as its spec.
///
/// The command `genclient update` generates the schema of the CRD from the same attributes. The
/// derive generates no code. It allows `#[crd(..)]` on the type and its fields, and reports each
/// error at its token. `genclient explain KEY` has the details of each key.
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
///
/// # Keys of `#[crd(..)]`
///
/// - `minimum`: Minimum value of a number.
/// - `maximum`: Maximum value of a number.
/// - `exclusive_minimum`: Excludes the minimum itself.
/// - `exclusive_maximum`: Excludes the maximum itself.
/// - `multiple_of`: Factor that a number must be a multiple of.
/// - `min_length`: Minimum length of a string, in code points.
/// - `max_length`: Maximum length of a string, in code points.
/// - `pattern`: Regular expression that must match somewhere in a string.
/// - `format`: Format of a value, such as `date-time`.
/// - `min_items`: Minimum length of a list.
/// - `max_items`: Maximum length of a list.
/// - `unique_items`: Not supported: the API server forbids `uniqueItems`.
/// - `min_properties`: Minimum number of entries of a map, or of properties of an object.
/// - `max_properties`: Maximum number of entries of a map, or of properties of an object.
/// - `enum`: Allowed values.
/// - `default`: Default value that the API server sets if the field is absent.
/// - `example`: Example value for readers of the schema.
/// - `title`: Title for readers of the schema.
/// - `description`: Description in the CRD, instead of the doc comment.
/// - `max_desc_len`: Maximum length of the descriptions of a value and of everything in it, in
///   characters.
/// - `external_docs`: Link to further documentation.
/// - `type`: JSON type, instead of that of the Rust type.
/// - `int_or_string`: Accepts an integer or a string.
/// - `preserve_unknown_fields`: Preserves fields that the schema does not declare.
/// - `embedded_resource`: The value is a complete object with apiVersion, kind and metadata.
/// - `schemaless`: Ignores the Rust type: the other keys define the schema.
/// - `schema`: Complete schema, instead of that of the Rust type.
/// - `items`: Constraints on the items of a list.
/// - `values`: Constraints on the values of a map.
/// - `keys`: Constraints on the keys of a map: length, pattern, format, enum.
/// - `validation`: CEL rule that the value must satisfy.
/// - `immutable`: The field cannot be changed once it is set.
/// - `list_type`: List type: server-side apply merges a list by map keys, as a set, or atomically.
/// - `list_map_keys`: Map keys of a list: JSON names of the fields that identify an item.
/// - `map_type`: Map type: server-side apply merges a map entry by entry or atomically.
/// - `struct_type`: Struct type: server-side apply merges a struct field by field or atomically.
/// - `embedded_metadata`: Preserves name, namespace, labels, annotations and finalizers of an
///   `ObjectMeta` field.
/// - `optional`: The field may be absent.
/// - `required`: The field must be present.
/// - `nullable`: The field may be null.
/// - `no_default`: Omits the default from the CRD, although serde has one.
/// - `at_most_one_of`: At most one of these fields may be set.
/// - `exactly_one_of`: Exactly one of these fields must be set.
/// - `at_least_one_of`: At least one of these fields must be set.
/// - `all_of`: The value must also match all of these schemas.
/// - `any_of`: The value must also match at least one of these schemas.
/// - `one_of`: The value must also match exactly one of these schemas.
/// - `not`: The value must not match this schema.
/// - `skip`: Generates no schema for the type.
#[proc_macro_derive(CrdSchema, attributes(crd))]
pub fn crd_schema(item: TokenStream) -> TokenStream {
    crd_schema::expand(item.into()).into()
}

/// Registers an impl of `Defaulter` or `Validator`, traits of the crate `genclient-controller`, as
/// an admission webhook in `config/webhook/manifests.yaml`.
///
/// The command `genclient update` writes the requests that the webhook intercepts, its endpoint,
/// and the failure policy. Every key has a default: `genclient explain KEY` has it. With `path` or
/// `url`, the impl gets the constant `PATH`, the path at which it is served. Otherwise the impl is
/// unchanged.
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
///
/// # Keys of `#[webhook(..)]`
///
/// - `operations`: Operations that the webhook intercepts.
/// - `failure_policy`: How a request is handled if the webhook call fails.
/// - `timeout`: Timeout of the webhook call, 1 to 30 seconds.
/// - `match_policy`: Whether the webhook also intercepts requests in other versions of the kind.
/// - `side_effects`: Side effects of the webhook: changes to anything other than the object.
/// - `reinvocation_policy`: Whether a Defaulter is called again after other webhooks have changed
///   the object.
/// - `path`: Path that the webhook is served at.
/// - `service`: Service that the API server calls, as "namespace/name".
/// - `port`: Port of the service.
/// - `url`: URL that the API server calls instead of a service, for a webhook outside the cluster.
/// - `name`: Name of the webhook, with at least two dots.
/// - `review_versions`: Versions of AdmissionReview that the webhook accepts, in order of
///   preference.
/// - `configuration`: Name of the webhook configuration that contains the webhook.
/// - `groups`: API groups that the webhook intercepts, instead of the group of `type Object`.
/// - `versions`: API versions that the webhook intercepts, instead of the version of `type Object`.
/// - `resources`: Resources that the webhook intercepts, instead of the resource of `type Object`.
/// - `namespace_selector`: Label selector for the namespaces of the intercepted objects.
/// - `object_selector`: Label selector for the intercepted objects.
/// - `match_conditions`: CEL expressions that must all be true for the webhook to be called.
#[proc_macro_attribute]
pub fn webhook(attr: TokenStream, item: TokenStream) -> TokenStream {
    webhook::expand(attr.into(), item.into()).into()
}

/// Declares a permission that a controller needs: an RBAC rule of the role in
/// `config/rbac/role.yaml`.
///
/// Write the attribute on any item or method, usually on the `impl Reconciler` that needs the rule.
/// It may be repeated. The command `genclient update` writes the role and merges the rules as
/// controller-gen does. `genclient explain KEY` has the details of each key. The item is unchanged.
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
///
/// # Keys of `#[rbac(..)]`
///
/// - `resource`: Type of a kind, which determines group and plural.
/// - `group`: API group of the resources.
/// - `groups`: API groups of the resources, if there are several.
/// - `resources`: Plural names of the resources.
/// - `names`: Names of the objects that the rule is limited to.
/// - `urls`: Non-resource URLs, instead of resources.
/// - `verbs`: Verbs that the rule allows.
/// - `namespace`: Namespace of the Role that contains the rule.
/// - `role`: Name of the role that contains the rule.
#[proc_macro_attribute]
pub fn rbac(attr: TokenStream, item: TokenStream) -> TokenStream {
    rbac::expand(attr.into(), item.into()).into()
}
