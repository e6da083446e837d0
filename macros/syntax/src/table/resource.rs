//! The keys of `#[crd(…)]` that stand on a served type alone: names, subresources, versions.

use super::form::{Argument, Form, Value};
use super::{Attribute, Within};
use crate::Site;

pub(super) const ATTRIBUTES: &[Attribute] = &[
    key("plural", Form::Value(Value::String))
        .summary("Plural name of the resource, in lower case.")
        .details("The one override of the plural: clients, URLs and the CRD follow it.")
        .go("kubebuilder:resource:path")
        .example("#[crd(plural = \"endpoints\")]"),
    key("singular", Form::Value(Value::String))
        .summary("Singular name of the resource, in lower case.")
        .go("kubebuilder:resource:singular")
        .example("#[crd(singular = \"task\")]"),
    key("short_names", Form::Value(Value::Strings))
        .summary("Short names for `kubectl get`.")
        .go("kubebuilder:resource:shortName")
        .example("#[crd(short_names = [\"gt\"])]"),
    key("categories", Form::Value(Value::Strings))
        .summary("Groups of resources that `kubectl get` lists together.")
        .go("kubebuilder:resource:categories")
        .example("#[crd(categories = [\"all\"])]"),
    key("scope", Form::Value(Value::OneOf(&["Namespaced", "Cluster"])))
        .summary("Whether objects live in namespaces.")
        .details("Default: Namespaced. \"Cluster\" is the same as #[genclient(non_namespaced)].")
        .go("kubebuilder:resource:scope")
        .example("#[crd(scope = \"Cluster\")]"),
    key("scale", Form::Arguments(SCALE))
        .summary("The scale subresource, and `get_scale` and `update_scale` in the client.")
        .details(
            "Both paths lead to a whole number, the one of the selector to a string.",
        )
        .go("kubebuilder:subresource:scale")
        .example("#[crd(scale(spec_replicas_path = \".spec.replicas\", status_replicas_path = \".status.replicas\"))]"),
    key("printcolumn", Form::Arguments(PRINTCOLUMN))
        .repeats()
        .summary("A column of `kubectl get`.")
        .details(
            "Columns with a priority above 0 are shown with `-o wide` only. A path that leads to no field of that type is a \
             warning, as the column stays empty.",
        )
        .go("kubebuilder:printcolumn")
        .example("#[crd(printcolumn(name = \"GPU\", type = \"string\", json_path = \".spec.gpu\"))]"),
    key("selectable_field", Form::Value(Value::String))
        .repeats()
        .summary("A field that field selectors may use.")
        .details("At most 8, each a string, boolean or integer.")
        .go("kubebuilder:selectablefield")
        .example("#[crd(selectable_field = \".spec.gpu\")]"),
    key("storage", Form::Flag)
        .summary("Objects are stored in this version.")
        .details("Needed as soon as a kind has more than one version.")
        .go("kubebuilder:storageversion")
        .example("#[crd(storage)]"),
    key("unserved", Form::Flag)
        .summary("The API server does not serve this version.")
        .go("kubebuilder:unservedversion")
        .example("#[crd(unserved)]"),
    key("deprecated", Form::FlagOr(Value::String))
        .summary("Clients of this version are warned, with the text if there is one.")
        .details(
            "The version is still served.",
        )
        .go("kubebuilder:deprecatedversion")
        .example("#[crd(deprecated = \"use v1\")]"),
    key("skip_version", Form::Flag)
        .summary("This version is left out of the CRD.")
        .go("kubebuilder:skipversion")
        .example("#[crd(skip_version)]"),
    key("annotation", Form::Pair)
        .repeats()
        .summary("An annotation of the CRD.")
        .go("kubebuilder:metadata:annotations")
        .example("#[crd(annotation(\"example.com/owner\", \"team\"))]"),
    key("label", Form::Pair)
        .repeats()
        .summary("A label of the CRD.")
        .go("kubebuilder:metadata:labels")
        .example("#[crd(label(\"app\", \"gpu\"))]"),
    key("conversion", Form::Arguments(CONVERSION))
        .summary("A webhook that converts between versions.")
        .details(
            "The service is written \"namespace/name\". The API server needs a certificate to trust it, which cert-manager \
             fills in: `annotation(\"cert-manager.io/inject-ca-from\", \"namespace/certificate\")`.",
        )
        .example("#[crd(conversion(webhook(service = \"system/webhook\", path = \"/convert\", port = 443, review_versions = [\"v1\"])))]"),
];

const SCALE: &[Argument] = &[
    Argument::required("spec_replicas_path", Value::String),
    Argument::required("status_replicas_path", Value::String),
    Argument::optional("label_selector_path", Value::String),
];

const PRINTCOLUMN: &[Argument] = &[
    Argument::required("name", Value::String),
    Argument::required(
        "type",
        Value::OneOf(&["boolean", "date", "integer", "number", "string"]),
    ),
    Argument::required("json_path", Value::String),
    Argument::optional("description", Value::String),
    Argument::optional(
        "format",
        Value::OneOf(&[
            "byte",
            "date",
            "date-time",
            "double",
            "float",
            "int32",
            "int64",
            "password",
        ]),
    ),
    Argument::optional("priority", Value::Integer),
];

const CONVERSION: &[Argument] = &[Argument {
    name: "webhook",
    form: Form::Arguments(WEBHOOK),
    required: true,
}];

const WEBHOOK: &[Argument] = &[
    Argument::required("service", Value::String),
    Argument::optional("path", Value::String),
    Argument::optional("port", Value::Count),
    Argument::required("review_versions", Value::Strings),
];

const fn key(name: &'static str, form: Form) -> Attribute {
    Attribute::new(Within::Crd, name, form, &[Site::Resource])
}
