//! Methods of a typed client: one-line delegations to the runtime, for the standard verbs and for
//! extensions.

use super::kind_paths::KindPaths;
use super::names::ident;
use super::package::doc_comments;
use super::uses::Uses;
use crate::model::{Method, MethodVerb, Resource, Verb};
use crate::template::rust;

/// The runtime module that the methods call.
const CLIENT_MODULE: &str = "genclient::client";

/// Generates the methods of one client.
pub(super) struct Methods<'a> {
    pub(super) kind: String,
    /// The apply configuration of the kind, if there is one.
    pub(super) configuration: Option<String>,
    /// The types that are imported from `kinds`.
    pub(super) kinds: &'a KindPaths<'a>,
    pub(super) uses: Uses,
}

impl Methods<'_> {
    pub(super) fn name(&mut self, name: &str) -> String {
        self.uses.name(CLIENT_MODULE, name)
    }

    pub(super) fn constructor(&mut self, resource: &Resource) -> String {
        let client = self.uses.name("genclient::kube", "Client");
        let typed_client = self.name("TypedClient");
        if resource.is_namespaced() {
            rust!(client, typed_client => "
                /// The client of one namespace, or of all if `namespace` is empty.
                pub fn new(client: $client, namespace: &str) -> Self {
                    Self {
                        client: $typed_client::namespaced(client, namespace),
                    }
                }
            ")
        } else {
            rust!(client, typed_client => "
                /// Returns a client that sends its requests through `client`.
                pub fn new(client: $client) -> Self {
                    Self {
                        client: $typed_client::cluster(client),
                    }
                }
            ")
        }
    }

    /// The methods of a verb.
    pub(super) fn verb(&mut self, verb: Verb) -> Vec<String> {
        let method = self.verb_method(verb);
        let of_configuration = match verb {
            Verb::Apply => self.apply_configuration(
                "apply_with",
                "Applies the fields that `config` states to the object that it names, as the field manager of `params`.",
            ),
            Verb::ApplyStatus => self.apply_configuration(
                "apply_status_with",
                "Applies the status that `config` states to the object that it names, as the field manager of `params`.",
            ),
            _ => None,
        };
        [method].into_iter().chain(of_configuration).collect()
    }

    fn verb_method(&mut self, verb: Verb) -> String {
        match verb {
            Verb::Create => self.write("create", "Creates `object`, and returns it as stored."),
            Verb::Update => self.write(
                "update",
                "Replaces the object that has the name and resource version of `object`, except its status.",
            ),
            Verb::UpdateStatus => self.write(
                "update_status",
                "Replaces the status of the object that has the name and resource version of `object`.",
            ),
            Verb::Delete => self.delete(),
            Verb::DeleteCollection => self.delete_collection(),
            Verb::Get => self.get(),
            Verb::List => self.list(),
            Verb::Watch => self.watch(),
            Verb::Patch => self.patch(
                "patch",
                "Patches the object `name`. `patch` is sent unchanged, so a `null` of a merge patch deletes a field.",
            ),
            Verb::PatchStatus => self.patch(
                "patch_status",
                "Patches the status of the object `name`. `patch` has the whole path: `{ \"status\": … }`.",
            ),
            Verb::Apply => self.apply(
                "apply",
                "Applies the fields that `object` states, as the field manager of `params`.",
            ),
            Verb::ApplyStatus => self.apply(
                "apply_status",
                "Applies the status fields that `object` states, as the field manager of `params`.",
            ),
        }
    }

    fn write(&mut self, method: &str, doc: &str) -> String {
        let (result, params) = (self.name("Result"), self.name("PostParams"));
        let (kind, doc) = (&self.kind, doc_comments([doc]));
        rust!(doc, method, kind, params, result => "
            $doc
            pub async fn $method(&self, object: &$kind, params: &$params) -> $result<$kind> {
                self.client.$method(object, params).await
            }
        ")
    }

    fn delete(&mut self) -> String {
        let (result, params) = (self.name("Result"), self.name("DeleteParams"));
        let deletion = self.name("Deletion");
        let kind = &self.kind;
        rust!(params, result, deletion, kind => "
            /// Deletes the object `name`, which stays while finalizers or its grace period hold it.
            pub async fn delete(&self, name: &str, params: &$params) -> $result<$deletion<$kind>> {
                self.client.delete(name, params).await
            }
        ")
    }

    fn delete_collection(&mut self) -> String {
        let (result, params) = (self.name("Result"), self.name("DeleteParams"));
        let (list_params, list) = (self.name("ListParams"), self.name("ObjectList"));
        let deletion = self.name("Deletion");
        let kind = &self.kind;
        rust!(params, list_params, result, deletion, list, kind => "
            /// Deletes every object that `list` selects.
            pub async fn delete_collection(&self, params: &$params, list: &$list_params) -> $result<$deletion<$list<$kind>>> {
                self.client.delete_collection(params, list).await
            }
        ")
    }

    fn get(&mut self) -> String {
        let (result, params) = (self.name("Result"), self.name("GetParams"));
        let kind = &self.kind;
        rust!(params, result, kind => "
            /// Reads the object `name`.
            pub async fn get(&self, name: &str, params: &$params) -> $result<$kind> {
                self.client.get(name, params).await
            }
        ")
    }

    fn list(&mut self) -> String {
        let (result, params) = (self.name("Result"), self.name("ListParams"));
        let list = self.name("ObjectList");
        let kind = &self.kind;
        rust!(params, result, list, kind => "
            /// Reads the objects that `params` selects, one page of them if it sets a limit.
            pub async fn list(&self, params: &$params) -> $result<$list<$kind>> {
                self.client.list(params).await
            }
        ")
    }

    fn watch(&mut self) -> String {
        let (result, params) = (self.name("Result"), self.name("WatchParams"));
        let stream = self.name("WatchStream");
        let kind = &self.kind;
        rust!(params, result, stream, kind => "
            /// Streams changes of the objects that `params` selects, from `version` on.
            pub async fn watch(&self, params: &$params, version: &str) -> $result<$stream<$kind>> {
                self.client.watch(params, version).await
            }
        ")
    }

    fn patch(&mut self, method: &str, doc: &str) -> String {
        let (result, params) = (self.name("Result"), self.name("PatchParams"));
        let (patch, serialize) = (self.name("Patch"), self.name("Serialize"));
        let (kind, doc) = (&self.kind, doc_comments([doc]));
        rust!(doc, method, patch, serialize, params, result, kind => "
            $doc
            pub async fn $method(&self, name: &str, patch: &$patch<impl $serialize>, params: &$params) -> $result<$kind> {
                self.client.$method(name, patch, params).await
            }
        ")
    }

    fn apply(&mut self, method: &str, doc: &str) -> String {
        let (result, params) = (self.name("Result"), self.name("PatchParams"));
        let serialize = self.name("Serialize");
        let kind = &self.kind;
        let doc = doc_comments([
            doc,
            "",
            "Fields that are `None` in `object` are left out, as are managed fields.",
        ]);
        rust!(doc, method, serialize, params, result, kind => "
            $doc
            pub async fn $method(&self, name: &str, object: &impl $serialize, params: &$params) -> $result<$kind> {
                self.client.$method(name, object, params).await
            }
        ")
    }

    fn apply_configuration(&mut self, method: &str, doc: &str) -> Option<String> {
        let configuration = self.configuration.clone()?;
        let (result, params) = (self.name("Result"), self.name("PatchParams"));
        let (kind, doc) = (&self.kind, doc_comments([doc]));
        Some(rust!(doc, method, configuration, params, result, kind => "
            $doc
            pub async fn $method(&self, config: &$configuration, params: &$params) -> $result<$kind> {
                self.client.$method(config, params).await
            }
        "))
    }

    pub(super) fn scale(&mut self) -> String {
        let (result, params) = (self.name("Result"), self.name("PostParams"));
        let scale = self.name("Scale");
        rust!(result, scale, params => "
            /// Reads the scale of the object `name`.
            pub async fn get_scale(&self, name: &str) -> $result<$scale> {
                self.client.get_scale(name).await
            }

            /// Replaces the scale of the object `name`.
            pub async fn update_scale(&self, name: &str, scale: &$scale, params: &$params) -> $result<$scale> {
                self.client.update_scale(name, scale, params).await
            }
        ")
    }
}

impl Methods<'_> {
    /// Generates a method other than the standard verbs. Its first parameter is the object's name,
    /// except for `create` and `list` without a subresource.
    pub(super) fn extension(&mut self, method: &Method) -> String {
        let result_type = self.type_or_kind(method.result.as_deref());
        let result = self.name("Result");
        let name = ident(&method.name);
        let doc = doc_comments([extension_doc(method).as_str()]);
        let (arguments, call) = self.call(method);
        rust!(doc, name, arguments, result, result_type, call => "
            $doc
            pub async fn $name(&self, $arguments) -> $result<$result_type> {
                self.client.$call.await
            }
        ")
    }

    /// The parameters of the method, and the call into the runtime.
    fn call(&mut self, method: &Method) -> (String, String) {
        let subresource = match &method.subresource {
            Some(subresource) => format!("Some({subresource:?})"),
            None => "None".to_owned(),
        };
        // Without a subresource, `create` and `list` apply to the collection.
        let named = method.subresource.is_some()
            || !matches!(method.verb, MethodVerb::Create | MethodVerb::List);
        let (argument, name) = match (method.verb, named) {
            (MethodVerb::Create | MethodVerb::List, true) => ("name: &str, ", "Some(name)"),
            (_, true) => ("name: &str, ", "name"),
            (_, false) => ("", "None"),
        };
        let (body, value) = self.body(method);
        let call = runtime_call(method.verb);
        let params = self.name(params_type(method.verb));
        (
            format!("{argument}{body}params: &{params}"),
            format!("{call}({name}, {subresource}, {value}params)"),
        )
    }

    /// The request body, as a parameter and as an argument.
    fn body(&mut self, method: &Method) -> (String, &'static str) {
        match method.verb {
            MethodVerb::Create | MethodVerb::Update | MethodVerb::Apply => {
                let input = self.type_or_kind(method.input.as_deref());
                (format!("input: &{input}, "), "input, ")
            }
            MethodVerb::Patch => {
                let (patch, serialize) = (self.name("Patch"), self.name("Serialize"));
                (format!("patch: &{patch}<impl {serialize}>, "), "patch, ")
            }
            MethodVerb::Get | MethodVerb::List => (String::new(), ""),
        }
    }

    fn type_or_kind(&self, type_path: Option<&str>) -> String {
        type_path.map_or_else(
            || self.kind.clone(),
            |path| self.kinds.path(path).into_owned(),
        )
    }
}

fn runtime_call(verb: MethodVerb) -> &'static str {
    match verb {
        MethodVerb::Create => "create_as",
        MethodVerb::Update => "update_as",
        MethodVerb::List => "list_as",
        MethodVerb::Patch => "patch_as",
        MethodVerb::Apply => "apply_as",
        MethodVerb::Get => "get_as",
    }
}

fn params_type(verb: MethodVerb) -> &'static str {
    match verb {
        MethodVerb::Create | MethodVerb::Update => "PostParams",
        MethodVerb::List => "ListParams",
        MethodVerb::Patch | MethodVerb::Apply => "PatchParams",
        MethodVerb::Get => "GetParams",
    }
}

fn extension_doc(method: &Method) -> String {
    let what = match method.verb {
        MethodVerb::Create => "Creates",
        MethodVerb::Update => "Replaces",
        MethodVerb::List => "Lists",
        MethodVerb::Patch => "Patches",
        MethodVerb::Apply => "Applies",
        MethodVerb::Get => "Reads",
    };
    if let Some(subresource) = &method.subresource {
        return format!("{what} the subresource `{subresource}` of the object `name`.");
    }
    let object = match method.verb {
        MethodVerb::Create => "an object",
        MethodVerb::List => "objects",
        _ => "the object `name`",
    };
    let name = |path: &str| path.rsplit("::").next().map(str::to_owned);
    let input = method.input.as_deref().and_then(name);
    let input = input.map(|input| format!(" from a `{input}`"));
    let result = method.result.as_deref().and_then(name);
    let result = result.map(|result| format!("; the response is a `{result}`"));
    let [input, result] = [input, result].map(Option::unwrap_or_default);
    format!("{what} {object}{input}{result}.")
}
