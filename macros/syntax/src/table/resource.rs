//! Table entries of the `#[crd(…)]` keys for served types: names, subresources, versions.

use super::attribute::{Attribute, Within};
use super::form::{Argument, Form, Value};
use super::key::Key;
use crate::{Scope, Site};

pub(super) const ATTRIBUTES: &[Attribute] = &[
    crd(Key::PLURAL, Form::Value(Value::String))
        .summary("Plural name of the resource, in lower case.")
        .details("The one override of the plural: clients, URLs and the CRD follow it.")
        .go("kubebuilder:resource:path")
        .example("#[crd(plural = \"endpoints\")]"),
    crd(Key::SINGULAR, Form::Value(Value::String))
        .summary("Singular name of the resource, in lower case.")
        .go("kubebuilder:resource:singular")
        .example("#[crd(singular = \"task\")]"),
    crd(Key::SHORT_NAMES, Form::Value(Value::Strings))
        .summary("Short names for `kubectl get`.")
        .go("kubebuilder:resource:shortName")
        .example("#[crd(short_names = [\"gt\"])]"),
    crd(Key::CATEGORIES, Form::Value(Value::Strings))
        .summary("Groups of resources that `kubectl get` lists together.")
        .go("kubebuilder:resource:categories")
        .example("#[crd(categories = [\"all\"])]"),
    crd(Key::SCOPE, Form::Value(Value::OneOf(Scope::NAMES)))
        .summary("Whether objects live in namespaces.")
        .details("Default: Namespaced. \"Cluster\" is the same as #[genclient(non_namespaced)].")
        .go("kubebuilder:resource:scope")
        .example("#[crd(scope = \"Cluster\")]"),
    crd(Key::SCALE, Form::Arguments(SCALE))
        .summary("The scale subresource, and `get_scale` and `update_scale` in the client.")
        .details("Both paths lead to a whole number, the one of the selector to a string.")
        .go("kubebuilder:subresource:scale")
        .example("#[crd(scale(spec_replicas_path = \".spec.replicas\", status_replicas_path = \".status.replicas\"))]"),
    crd(Key::STATUS, Form::Flag)
        .summary("The status subresource of a kind without a field `status`.")
        .details(
            "A field `status` makes the subresource by itself. Without the field the API server serves `/status`, and drops \
             what is written to it unless the kind keeps unknown fields. The client has no verbs for it.",
        )
        .example("#[crd(status)]"),
    crd(Key::PRINTCOLUMN, Form::Arguments(PRINTCOLUMN))
        .repeats()
        .summary("A column of `kubectl get`.")
        .details(
            "Columns with a priority above 0 are shown with `-o wide` only. A path that leads to no field of that type is a \
             warning, as the column stays empty.",
        )
        .go("kubebuilder:printcolumn")
        .example("#[crd(printcolumn(name = \"GPU\", type = \"string\", json_path = \".spec.gpu\"))]"),
    crd(Key::SELECTABLE_FIELD, Form::Value(Value::String))
        .repeats()
        .summary("A field that field selectors may use.")
        .details("At most 8, each a string, boolean or integer.")
        .go("kubebuilder:selectablefield")
        .example("#[crd(selectable_field = \".spec.gpu\")]"),
    crd(Key::STORAGE, Form::Flag)
        .summary("Objects are stored in this version.")
        .details("Needed as soon as a kind has more than one version.")
        .go("kubebuilder:storageversion")
        .example("#[crd(storage)]"),
    crd(Key::UNSERVED, Form::Flag)
        .summary("The API server does not serve this version.")
        .go("kubebuilder:unservedversion")
        .example("#[crd(unserved)]"),
    crd(Key::DEPRECATED, Form::FlagOr(Value::String))
        .summary("Clients of this version are warned, with the text if there is one.")
        .details("The version is still served.")
        .go("kubebuilder:deprecatedversion")
        .example("#[crd(deprecated = \"use v1\")]"),
    crd(Key::SKIP_VERSION, Form::Flag)
        .summary("This version is left out of the CRD.")
        .go("kubebuilder:skipversion")
        .example("#[crd(skip_version)]"),
    crd(Key::ANNOTATION, Form::Pair)
        .repeats()
        .summary("An annotation of the CRD.")
        .go("kubebuilder:metadata:annotations")
        .example("#[crd(annotation(\"example.com/owner\", \"team\"))]"),
    crd(Key::LABEL, Form::Pair)
        .repeats()
        .summary("A label of the CRD.")
        .go("kubebuilder:metadata:labels")
        .example("#[crd(label(\"app\", \"gpu\"))]"),
    crd(Key::CONVERSION, Form::Arguments(CONVERSION))
        .summary("A webhook that converts between versions.")
        .details(
            "The service is written \"namespace/name\"; a package with `[package.metadata.genclient.deploy]` in its \
             Cargo.toml has one, and writes `conversion(webhook)`. By default the path is `/convert` and the review version \
             `v1`, as `genclient-controller` serves them. For a webhook that runs outside of the cluster, write \
             `url = \"https://host:port/convert\"` in place of the service. `genclient-controller` also writes the \
             certificate that the API server needs; cert-manager does \
             with `annotation(\"cert-manager.io/inject-ca-from\", \"namespace/certificate\")`.",
        )
        .example("#[crd(conversion(webhook(service = \"system/webhook\")))]"),
];

pub(crate) const SCALE: &[Argument] = &[
    Argument::required(Key::SPEC_REPLICAS_PATH, Value::String),
    Argument::required(Key::STATUS_REPLICAS_PATH, Value::String),
    Argument::optional(Key::LABEL_SELECTOR_PATH, Value::String),
];

pub(crate) const PRINTCOLUMN: &[Argument] = &[
    Argument::required(Key::NAME, Value::String),
    Argument::required(
        Key::TYPE,
        Value::OneOf(&["boolean", "date", "integer", "number", "string"]),
    ),
    Argument::required(Key::JSON_PATH, Value::String),
    Argument::optional(Key::DESCRIPTION, Value::String),
    Argument::optional(
        Key::FORMAT,
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
    Argument::optional(Key::PRIORITY, Value::Integer),
];

const CONVERSION: &[Argument] = &[Argument::new(Key::WEBHOOK, Form::Arguments(WEBHOOK), true)];

const WEBHOOK: &[Argument] = &[
    Argument::optional(Key::SERVICE, Value::String),
    Argument::optional(Key::PATH, Value::String),
    Argument::optional(Key::PORT, Value::Count),
    Argument::optional(Key::URL, Value::String),
    Argument::optional(Key::REVIEW_VERSIONS, Value::Strings),
];

const fn crd(key: Key, form: Form) -> Attribute {
    Attribute::new(Within::Crd, key, form, &[Site::Resource])
}
