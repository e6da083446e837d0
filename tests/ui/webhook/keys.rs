//! Invalid keys of `#[webhook]`, and items that it does not apply to.
use genclient::webhook;

trait Defaulter {
    type Object;
    const PATH: Option<&'static str> = None;
}

trait Validator {
    type Object;
    const PATH: Option<&'static str> = None;
}

struct Task;

#[webhook(timeout = 60, failure_policy = "ignore", group = "example.com")]
impl Defaulter for Task {
    type Object = Task;
}

#[webhook(
    operations = ["create", "*"],
    reinvocation_policy = "IfNeeded",
    path = "/a",
    url = "http://host/a",
)]
impl Validator for Task {
    type Object = Task;
}

#[webhook(object_selector = { "matchLabels": { "tier": "a b" } })]
impl Validator for (Task,) {
    type Object = Task;
    const PATH: Option<&'static str> = Some("/b");
}

#[webhook]
struct Quota;

#[webhook]
impl Quota {}

fn main() {
    let _ = (<Task as Defaulter>::PATH, <Task as Validator>::PATH);
}
