//! Table entries of `#[genclient]`, its keys, and the attributes beside it.

use super::attribute::{Attribute, Within, attributes};
use super::form::{Argument, Form, Value};
use super::key::Key;
use crate::{MethodVerb, Target, Verb};

const VERBS: Value = Value::Several(Verb::NAMES);
const METHOD_VERBS: Value = Value::OneOf(MethodVerb::NAMES);

attributes! {
    GENCLIENT = "genclient" => item_attribute(Form::Keys)
        .summary("Declares a struct with `metadata` as a kind and generates clients, listers, informers and a CRD for it.")
        .details(
            "Must be above every derive and above #[group], #[version], #[kind] and #[crd]. Adds Clone and Debug if absent. \
             Implements Serialize and Deserialize: apiVersion and kind are written first and checked on reading.",
        )
        .go("genclient")
        .example("#[genclient]"),
    GROUP = "group" => item_attribute(Form::Value(Value::String))
        .summary("API group of the kind.")
        .details("Required. \"\" is the core group. Also written #[genclient(group = \"..\")].")
        .go("groupName")
        .example("#[group = \"falldio.com\"]"),
    VERSION = "version" => item_attribute(Form::Value(Value::String))
        .summary("API version of the kind.")
        .details("Default: the nearest enclosing module named like a version. Another lower-case name such as `one` is allowed, but kubectl and discovery prefer names like v2, v1 and v1beta1. Also written #[genclient(version = \"..\")].")
        .go("versionName")
        .example("#[version = \"v1\"]"),
    KIND = "kind" => item_attribute(Form::Value(Value::String))
        .summary("Name of the kind.")
        .details("Default: the name of the struct. Also written #[genclient(kind = \"..\")].")
        .example("#[kind = \"GPUTask\"]"),
    GROUP => genclient_attribute(Form::Value(Value::String))
        .summary("API group of the kind, the same as `#[group]`.")
        .go("groupName")
        .example("#[genclient(group = \"falldio.com\")]"),
    VERSION => genclient_attribute(Form::Value(Value::String))
        .summary("API version of the kind, the same as `#[version]`.")
        .go("versionName")
        .example("#[genclient(version = \"v1\")]"),
    KIND => genclient_attribute(Form::Value(Value::String))
        .summary("Name of the kind, the same as `#[kind]`.")
        .example("#[genclient(kind = \"GPUTask\")]"),
    NO_STATUS = "no_status" => genclient_attribute(Form::Flag)
        .summary("Omits the status subresource and its verbs, even if the struct has a field `status`.")
        .go("genclient:noStatus")
        .example("#[genclient(no_status)]"),
    NON_NAMESPACED = "non_namespaced" => genclient_attribute(Form::Flag)
        .summary("Makes the kind cluster-scoped.")
        .details("Same as #[crd(scope = \"Cluster\")].")
        .go("genclient:nonNamespaced")
        .example("#[genclient(non_namespaced)]"),
    NO_VERBS = "no_verbs" => genclient_attribute(Form::Flag)
        .summary("Generates a client without verbs, for hand-written methods only.")
        .go("genclient:noVerbs")
        .example("#[genclient(no_verbs)]"),
    ONLY_VERBS = "only_verbs" => genclient_attribute(Form::Value(VERBS))
        .summary("Generates only these verbs in the client.")
        .details("If `readonly` is set, too, the client has the verbs of both keys.")
        .go("genclient:onlyVerbs")
        .example("#[genclient(only_verbs = [\"get\", \"list\"])]"),
    SKIP_VERBS = "skip_verbs" => genclient_attribute(Form::Value(VERBS))
        .summary("Generates all verbs except these in the client.")
        .go("genclient:skipVerbs")
        .example("#[genclient(skip_verbs = [\"delete_collection\"])]"),
    READONLY = "readonly" => genclient_attribute(Form::Flag)
        .summary("Generates only `get`, `list` and `watch` in the client.")
        .go("genclient:readonly")
        .example("#[genclient(readonly)]"),
    METHOD = "method" => genclient_attribute(Form::Arguments(METHOD))
        .repeats()
        .summary("Adds a method to the client.")
        .details(
            "Without `subresource`, the request addresses the object itself. `input` (for create, update, apply) and `result` are \
             paths of types; both default to the kind.",
        )
        .go("genclient:method")
        .example(
            "#[genclient(method(name = \"create_token\", verb = \"create\", subresource = \"token\", input = \"TokenRequest\", result = \"TokenRequest\"))]",
        ),
    SKIP_CRD = "skip_crd" => genclient_attribute(Form::Flag)
        .summary("Generates no CRD, because another project owns it.")
        .example("#[genclient(skip_crd)]"),
    SKIP_CLIENT = "skip_client" => genclient_attribute(Form::Flag)
        .summary("Generates only the CRD: no client, lister or informer.")
        .example("#[genclient(skip_client)]"),
}

const METHOD: &[Argument] = &[
    Argument::required(Key::NAME, Value::String),
    Argument::required(Key::VERB, METHOD_VERBS),
    Argument::optional(Key::SUBRESOURCE, Value::String),
    Argument::optional(Key::INPUT, Value::String),
    Argument::optional(Key::RESULT, Value::String),
];

const fn item_attribute(key: Key, form: Form) -> Attribute {
    Attribute::new(Within::Item, key, form, &[Target::Resource])
}

const fn genclient_attribute(key: Key, form: Form) -> Attribute {
    Attribute::new(Within::Genclient, key, form, &[Target::Resource])
}
