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

#[webhook(timeout = 5)]
impl Validator for Q {
    type Object = Task;
}

#[webhook(configuration = "other", name = "validation.task.example.com")]
impl Defaulter for Task {
    type Object = Task;
}

#[webhook(configuration = "other", name = "validation.task.example.com")]
impl Defaulter for Q {
    type Object = Task;
}

#[webhook(resources = ["plains"])]
impl Validator for Plain {
    type Object = Plain;
}

#[webhook]
impl Validator for (Q,) {
    type Object = Container;
}

#[webhook(groups = ["example.com"], versions = ["v1"], name = "tuple.example.com.plain")]
impl Validator for (Q, Q) {
    type Object = (Task, Task);
}

#[webhook(match_conditions = [
    { "name": "syntax", "expression": "object.metadata.name = 'a'" },
    { "name": "variables", "expression": "self.spec != oldSelf.spec && variables.a && params.b" },
    { "name": "loop", "expression": "object.spec.all(self, self > 1)" },
])]
impl Validator for Vec<Pod> {
    type Object = Pod;
}

#[webhook]
pub fn webhook() {}

#[webhook(timeout = 31)]
impl Validator for Vec<Q> {
    type Object = Pod;
}

pub struct Defaults;

impl Defaulter for Defaults {
    type Object = Task;
}

pub struct Rules;

impl Validator for Rules {
    type Object = Task;
}

pub struct Misspelt;

#[webhok(name = "misspelt.task.example.com")]
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
