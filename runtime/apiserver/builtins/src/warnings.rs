//! [`Warnings`] about accepted writes.
//!
//! Warnings about the entries of a map are sorted by key; kube-apiserver's order is random.

use genclient_apimachinery::unstructured::str_field;
use genclient_apimachinery::validation;
use serde_json::Value;

/// Warnings in the order in which the server sends them.
pub type Warnings = Vec<String>;

pub(crate) fn get_annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object["metadata"]["annotations"][key].as_str()
}

/// Returns the path of a member: `{path}.{name}`, or `name` if `path` is empty.
pub(crate) fn child_path(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Returns whether an update has incremented the generation.
pub(crate) fn bumps_generation(new: &Value, old: &Value) -> bool {
    new["metadata"]["generation"] != old["metadata"]["generation"]
}

/// Warns if the name of a workload is not a DNS label. The host names of its Pods begin with the
/// name.
pub(crate) fn recommend_label(object: &Value, out: &mut Warnings) {
    recommend_label_because(object, "this is used in Pod names and hostnames", out);
}

pub(crate) fn recommend_label_because(object: &Value, use_: &str, out: &mut Warnings) {
    let messages = validation::label(str_field(&object["metadata"], "name"));
    if !messages.is_empty() {
        let messages = messages.join(" ");
        out.push(format!(
            "metadata.name: {use_}, which can result in surprising behavior; a DNS label is \
             recommended: [{messages}]"
        ));
    }
}
