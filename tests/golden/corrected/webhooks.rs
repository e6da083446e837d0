use genclient::k8s_openapi::api::core::v1::{Container, Pod};
use genclient::prelude::*;
use genclient::webhook;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Task {
    pub metadata: ObjectMeta,
}

pub struct Plain;

pub struct Q;

#[webhook]
impl Validator for Task {
    type Object = Task;
}

#[webhook(timeout = 5, name = "second.validation.task.example.com")]
impl Validator for Q {
    type Object = Task;
}

#[webhook(configuration = "other", name = "validation.task.example.com")]
impl Defaulter for Task {
    type Object = Task;
}

#[webhook(configuration = "other", name = "second.validation.task.example.com")]
impl Defaulter for Q {
    type Object = Task;
}

#[webhook(groups = ["example.com"], versions = ["v1"], resources = ["plains"], path = "/plain", name = "plain.example.com.plain")]
impl Validator for Plain {
    type Object = Plain;
}

#[webhook(groups = [""], versions = ["v1"], resources = ["pods"], path = "/pods", name = "pods.example.com")]
impl Validator for (Q,) {
    type Object = Container;
}

#[webhook(groups = ["example.com"], versions = ["v1"], name = "tuple.example.com.plain", resources = ["tasks"], path = "/tuple")]
impl Validator for (Q, Q) {
    type Object = (Task, Task);
}

#[webhook(name = "conditions.example.com", match_conditions = [
    { "name": "syntax", "expression": "object.metadata.name == 'a'" },
    { "name": "variables", "expression": "object.spec != oldObject.spec" },
    { "name": "loop", "expression": "object.spec.all(self, self > 1)" },
])]
impl Validator for Vec<Pod> {
    type Object = Pod;
}

#[webhook(timeout = 30)]
impl Validator for Vec<Q> {
    type Object = Pod;
}

pub struct Defaults;

#[webhook(name = "first.task.example.com")]
impl Defaulter for Defaults {
    type Object = Task;
}

pub struct Rules;

#[webhook(name = "second.task.example.com")]
impl Validator for Rules {
    type Object = Task;
}

pub struct Misspelt;

#[webhook(name = "misspelt.task.example.com")]
impl Validator for Misspelt {
    type Object = Task;
}

/// Compiled for tests only, so not reported.
#[cfg(test)]
impl Validator for Defaults {
    type Object = Task;
}

#[cfg(test)]
mod tests {
    impl Validator for super::Rules {
        type Object = super::Task;
    }
}

/// Trait of another crate with the same name, so not reported.
impl forms::Validator for Rules {}
