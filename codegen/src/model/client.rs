//! Clients of a package: groups, versions, and kinds with their verbs and methods.

use genclient_syntax::{MethodVerb, Scope, Verb};
use serde::{Serialize, Serializer};

/// An API group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Its name: `falldio.com`; empty for the core group.
    pub name: String,
    /// Its module and accessor: `falldio`.
    pub module: String,
    /// Its versions in ascending order of preference: `v1alpha1`, `v2beta1`, `v1`.
    pub versions: Vec<Version>,
}

/// A version of a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Version {
    /// Its name: `v1`.
    pub name: String,
    /// Its module and accessor: `v1`.
    pub module: String,
    /// The kinds that have clients, sorted by name.
    pub resources: Vec<Resource>,
}

/// A kind with a client, in one version.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resource {
    /// `GPUTask`.
    pub kind: String,
    /// `gputasks`, as in URLs.
    pub plural: String,
    /// Whether its objects live in namespaces.
    #[serde(serialize_with = "serialize_scope")]
    pub scope: Scope,
    /// The path of the type in generated code: `crate::apis::falldio::v1::GPUTask`.
    pub type_path: String,
    /// The `cfg` conditions of the type, outermost first.
    pub cfg: Vec<String>,
    /// The names of the generated items.
    pub names: Names,
    /// The verbs of its client, in the order of the client's methods.
    #[serde(serialize_with = "serialize_verbs")]
    pub verbs: Vec<Verb>,
    /// True if the client has methods for the scale subresource.
    pub scale: bool,
    /// The path of the kind's apply configuration in generated code:
    /// `crate::client::applyconfiguration::falldio::v1::GPUTaskApply`. `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apply: Option<String>,
    /// Further methods of the client.
    pub methods: Vec<Method>,
}

impl Resource {
    /// True if its objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// True if it can be listed and watched, and so has an informer and a lister.
    pub fn is_cached(&self) -> bool {
        self.verbs.contains(&Verb::List) && self.verbs.contains(&Verb::Watch)
    }
}

/// Names of the generated items of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Names {
    /// The module: `gpu_task`.
    pub module: String,
    /// The accessor: `gpu_tasks`.
    pub accessor: String,
    /// The accessor of all namespaces: `all_gpu_tasks`.
    pub all: String,
    /// The client: `GPUTasks`.
    pub client: String,
}

/// A method of a client beyond the verbs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Method {
    /// Its name: `get_token`.
    pub name: String,
    /// The verb of its requests.
    #[serde(serialize_with = "serialize_method_verb")]
    pub verb: MethodVerb,
    /// The subresource that it works on; `None` for the object itself.
    pub subresource: Option<String>,
    /// The path of the type that it sends; `None` if it sends the kind itself or no body.
    pub input: Option<String>,
    /// The path of the type that it returns; `None` if it returns the kind itself.
    pub result: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
pub(super) fn serialize_scope<S: Serializer>(
    scope: &Scope,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    scope.as_str().serialize(serializer)
}

fn serialize_verbs<S: Serializer>(verbs: &[Verb], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(verbs.iter().map(|verb| verb.as_str()))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn serialize_method_verb<S: Serializer>(
    verb: &MethodVerb,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    verb.as_str().serialize(serializer)
}
