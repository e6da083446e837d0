//! Methods of a typed client: one-line delegations to the runtime.

use super::package::docs;
use super::uses::Uses;
use crate::model::{Resource, Verb};
use crate::template::rust;

/// The runtime module that the methods call.
const CLIENT: &str = "genclient::client";

/// Generates the methods of one client.
pub(super) struct Methods {
    pub(super) kind: String,
    pub(super) uses: Uses,
}

impl Methods {
    pub(super) fn name(&mut self, name: &str) -> String {
        self.uses.name(CLIENT, name)
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

    pub(super) fn verb(&mut self, verb: Verb) -> String {
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
        let (kind, doc) = (&self.kind, docs([doc]));
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
        let (kind, doc) = (&self.kind, docs([doc]));
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
        let doc = docs([
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
