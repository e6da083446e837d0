//! `#[genclient]` and its keys, and the attributes beside it.

use super::form::{Argument, Form, Value};
use super::{Attribute, Within};
use crate::Site;

const VERBS: Value = Value::Several(crate::resource::VERB_NAMES);
const METHOD_VERBS: Value = Value::OneOf(crate::resource::METHOD_VERB_NAMES);

pub(super) const ATTRIBUTES: &[Attribute] = &[
    item("genclient", Form::Keys)
        .summary("Makes a struct with `metadata` a resource: clients, listers, informers, a CRD.")
        .details(
            "Stands above every derive and above #[group], #[version], #[kind] and #[crd]. Adds Clone and Debug if absent. \
             Serialize and Deserialize are its own: apiVersion and kind are written first and checked on reading.",
        )
        .go("genclient")
        .example("#[genclient]"),
    item("group", Form::Value(Value::String))
        .summary("API group of the kind.")
        .details("Required. \"\" is the core group. Also written #[genclient(group = \"..\")].")
        .go("groupName")
        .example("#[group = \"falldio.com\"]"),
    item("version", Form::Value(Value::String))
        .summary("API version of the kind.")
        .details("Default: the nearest enclosing module named like a version. Another lower-case name such as `one` is served as well, but kubectl and discovery prefer those like v2, v1 and v1beta1. Also written #[genclient(version = \"..\")].")
        .go("versionName")
        .example("#[version = \"v1\"]"),
    item("kind", Form::Value(Value::String))
        .summary("Name of the kind.")
        .details("Default: the name of the struct. Also written #[genclient(kind = \"..\")].")
        .example("#[kind = \"GPUTask\"]"),
    key("group", Form::Value(Value::String))
        .summary("API group of the kind, the same as #[group].")
        .go("groupName")
        .example("#[genclient(group = \"falldio.com\")]"),
    key("version", Form::Value(Value::String))
        .summary("API version of the kind, the same as #[version].")
        .go("versionName")
        .example("#[genclient(version = \"v1\")]"),
    key("kind", Form::Value(Value::String))
        .summary("Name of the kind, the same as #[kind].")
        .example("#[genclient(kind = \"GPUTask\")]"),
    key("no_status", Form::Flag)
        .summary("No status subresource and no verbs for it, even if there is a field `status`.")
        .go("genclient:noStatus")
        .example("#[genclient(no_status)]"),
    key("non_namespaced", Form::Flag)
        .summary("The kind is cluster scoped.")
        .details("The same switch as #[crd(scope = \"Cluster\")].")
        .go("genclient:nonNamespaced")
        .example("#[genclient(non_namespaced)]"),
    key("no_verbs", Form::Flag)
        .summary("The client has no verbs, only what is added by hand.")
        .go("genclient:noVerbs")
        .example("#[genclient(no_verbs)]"),
    key("only_verbs", Form::Value(VERBS))
        .summary("The client has these verbs and no others.")
        .details("Together with `readonly` it has the verbs of both.")
        .go("genclient:onlyVerbs")
        .example("#[genclient(only_verbs = [\"get\", \"list\"])]"),
    key("skip_verbs", Form::Value(VERBS))
        .summary("The client has all verbs but these.")
        .go("genclient:skipVerbs")
        .example("#[genclient(skip_verbs = [\"delete_collection\"])]"),
    key("readonly", Form::Flag)
        .summary("The client has `get`, `list` and `watch`.")
        .go("genclient:readonly")
        .example("#[genclient(readonly)]"),
    key("method", Form::Arguments(METHOD))
        .repeats()
        .summary("Adds a method to the client.")
        .details(
            "Without `subresource` it is sent to the object itself. `input` (for create, update, apply) and `result` are paths of types; \
             by default both are the kind.",
        )
        .go("genclient:method")
        .example(
            "#[genclient(method(name = \"create_token\", verb = \"create\", subresource = \"token\", input = \"TokenRequest\", result = \"TokenRequest\"))]",
        ),
    key("skip_crd", Form::Flag)
        .summary("No CRD is written: another project owns it.")
        .example("#[genclient(skip_crd)]"),
    key("skip_client", Form::Flag)
        .summary("Only the CRD is written, no client, lister or informer.")
        .example("#[genclient(skip_client)]"),
];

const METHOD: &[Argument] = &[
    Argument::required("name", Value::String),
    Argument::required("verb", METHOD_VERBS),
    Argument::optional("subresource", Value::String),
    Argument::optional("input", Value::String),
    Argument::optional("result", Value::String),
];

const fn item(name: &'static str, form: Form) -> Attribute {
    Attribute::new(Within::Item, name, form, &[Site::Resource])
}

const fn key(name: &'static str, form: Form) -> Attribute {
    Attribute::new(Within::Genclient, name, form, &[Site::Resource])
}
