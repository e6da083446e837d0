//! Pruning of fields that a schema does not declare.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning`.

use serde_json::Value;

use crate::Schema;

/// Kind of value to prune.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// A Kubernetes object, whose `apiVersion`, `kind` and `metadata` are kept.
    Resource,
    /// Any other value, such as a default.
    Value,
}

/// Removes undeclared fields and returns their sorted paths, such as `spec.ports[0].q`. If the root
/// is neither a [`Pruning::Resource`] nor an embedded resource, its undeclared `apiVersion`, `kind`
/// and `metadata` are removed, but not returned.
pub fn prune(schema: &Schema, value: &mut Value, pruning: Pruning) -> Vec<String> {
    let mut pruner = Pruner::default();
    match pruning {
        Pruning::Resource if !schema.embedded_resource => {
            let mut root = schema.clone();
            root.embedded_resource = true;
            pruner.value(Some(&root), value);
        }
        _ => pruner.value(Some(schema), value),
    }
    pruner.unknown.sort();
    pruner.unknown
}

/// Fields that an embedded resource has even if its schema does not declare them.
pub(super) const RESOURCE_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

#[derive(Default)]
struct Pruner {
    path: String,
    unknown: Vec<String>,
}

impl Pruner {
    /// Prunes a value. Without a schema, removes all fields.
    fn value(&mut self, schema: Option<&Schema>, value: &mut Value) {
        if let Some(schema) = schema.filter(|schema| schema.preserve_unknown_fields) {
            return self.preserved(schema, value);
        }
        match value {
            Value::Object(members) => {
                let names: Vec<_> = members.keys().cloned().collect();
                for name in names {
                    if schema.is_some_and(|schema| schema.is_resource_field(&name)) {
                        continue;
                    }
                    let known = schema.and_then(|schema| schema.member(&name));
                    match (known, members.get_mut(&name)) {
                        (Some(schema), Some(member)) => {
                            self.at_member(&name, |it| it.value(schema.declared(), member));
                        }
                        _ => {
                            let is_root = self.path.is_empty();
                            if !is_root || !RESOURCE_FIELDS.contains(&name.as_str()) {
                                self.at_member(&name, |it| it.unknown.push(it.path.clone()));
                            }
                            members.remove(&name);
                        }
                    }
                }
            }
            Value::Array(items) => {
                let of_items = schema.and_then(|schema| schema.items.as_deref());
                for (at, item) in items.iter_mut().enumerate() {
                    self.at_item(at, |pruner| pruner.value(of_items, item));
                }
            }
            _ => {}
        }
    }

    /// Prunes a value with `x-kubernetes-preserve-unknown-fields`: keeps all its fields and prunes
    /// inside of declared ones.
    fn preserved(&mut self, schema: &Schema, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if schema.is_resource_field(name) {
                        continue;
                    }
                    if let Some(schema) = schema.member(name) {
                        self.at_member(name, |it| it.value(schema.declared(), member));
                    }
                }
            }
            Value::Array(items) => {
                if let Some(schema) = schema.items.as_deref() {
                    for (at, item) in items.iter_mut().enumerate() {
                        self.at_item(at, |pruner| pruner.preserved(schema, item));
                    }
                }
            }
            _ => {}
        }
    }

    fn at_member(&mut self, name: &str, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        then(self);
        self.path.truncate(length);
    }

    fn at_item(&mut self, at: usize, then: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(&format!("[{at}]"));
        then(self);
        self.path.truncate(length);
    }
}

impl Schema {
    /// Returns whether the schema is of an embedded resource and `name` is in [`RESOURCE_FIELDS`].
    fn is_resource_field(&self, name: &str) -> bool {
        self.embedded_resource && RESOURCE_FIELDS.contains(&name)
    }
}
