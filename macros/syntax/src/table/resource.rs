//! Table entries of the `#[crd(…)]` keys for kinds: names, subresources, versions.

use super::attribute::{Attribute, Within, attributes};
use super::form::{Argument, Form, Value};
use super::key::Key;
use crate::{Scope, Target};

attributes! {
    PLURAL = "plural" => crd_attribute(Form::Value(Value::String))
        .summary("Plural name of the resource, in lower case.")
        .details(
            "URLs and the CRD use it. Names in clients are the regular plural of the kind, as those of client-gen: \
             the kind `Ox` with `plural = \"oxen\"` has the method `oxes`.",
        )
        .go("kubebuilder:resource:path")
        .example("#[crd(plural = \"endpoints\")]"),
    SINGULAR = "singular" => crd_attribute(Form::Value(Value::String))
        .summary("Singular name of the resource, in lower case.")
        .go("kubebuilder:resource:singular")
        .example("#[crd(singular = \"task\")]"),
    SHORT_NAMES = "short_names" => crd_attribute(Form::Value(Value::Strings))
        .summary("Short names for `kubectl get`.")
        .go("kubebuilder:resource:shortName")
        .example("#[crd(short_names = [\"gt\"])]"),
    CATEGORIES = "categories" => crd_attribute(Form::Value(Value::Strings))
        .summary("Categories that `kubectl get` lists the resource in, such as `all`.")
        .go("kubebuilder:resource:categories")
        .example("#[crd(categories = [\"all\"])]"),
    SCOPE = "scope" => crd_attribute(Form::Value(Value::OneOf(Scope::NAMES)))
        .summary("Scope of the resource: namespaced or cluster.")
        .details("Default: Namespaced. \"Cluster\" is the same as #[genclient(non_namespaced)].")
        .go("kubebuilder:resource:scope")
        .example("#[crd(scope = \"Cluster\")]"),
    SCALE = "scale" => crd_attribute(Form::Arguments(SCALE))
        .summary("Enables the scale subresource, with `get_scale` and `update_scale` in the client.")
        .details("Both replicas paths must refer to an integer, the path of the label selector to a string.")
        .go("kubebuilder:subresource:scale")
        .example("#[crd(scale(spec_replicas_path = \".spec.replicas\", status_replicas_path = \".status.replicas\"))]"),
    STATUS = "status" => crd_attribute(Form::Flag)
        .summary("Enables the status subresource of a kind without a field `status`.")
        .details(
            "A field `status` enables the subresource by itself. With this key and no such field, the API server serves `/status`, \
             but prunes what is written to it, unless the kind preserves unknown fields. The client gets no verbs for the status.",
        )
        .example("#[crd(status)]"),
    PRINTCOLUMN = "printcolumn" => crd_attribute(Form::Arguments(PRINTCOLUMN))
        .repeats()
        .summary("A printer column of `kubectl get`.")
        .details(
            "Columns with a priority above 0 are shown with `-o wide` only. A path that leads to no field of the column's \
             type is a warning, because the column stays empty.",
        )
        .go("kubebuilder:printcolumn")
        .example("#[crd(printcolumn(name = \"GPU\", type = \"string\", json_path = \".spec.gpu\"))]"),
    SELECTABLE_FIELD = "selectable_field" => crd_attribute(Form::Value(Value::String))
        .repeats()
        .summary("A field that field selectors may use.")
        .details("At most 8, each a string, boolean or integer.")
        .go("kubebuilder:selectablefield")
        .example("#[crd(selectable_field = \".spec.gpu\")]"),
    STORAGE = "storage" => crd_attribute(Form::Flag)
        .summary("Marks this version as the storage version.")
        .details("Required if a kind has more than one version.")
        .go("kubebuilder:storageversion")
        .example("#[crd(storage)]"),
    UNSERVED = "unserved" => crd_attribute(Form::Flag)
        .summary("Marks this version as not served.")
        .go("kubebuilder:unservedversion")
        .example("#[crd(unserved)]"),
    DEPRECATED = "deprecated" => crd_attribute(Form::FlagOr(Value::String))
        .summary("Marks this version as deprecated: the API server warns its clients, with the given text if any.")
        .details("The version is still served.")
        .go("kubebuilder:deprecatedversion")
        .example("#[crd(deprecated = \"use v1\")]"),
    SKIP_VERSION = "skip_version" => crd_attribute(Form::Flag)
        .summary("Omits this version from the CRD.")
        .go("kubebuilder:skipversion")
        .example("#[crd(skip_version)]"),
    ANNOTATION = "annotation" => crd_attribute(Form::Pair)
        .repeats()
        .summary("An annotation of the CRD.")
        .go("kubebuilder:metadata:annotations")
        .example("#[crd(annotation(\"example.com/owner\", \"team\"))]"),
    LABEL = "label" => crd_attribute(Form::Pair)
        .repeats()
        .summary("A label of the CRD.")
        .go("kubebuilder:metadata:labels")
        .example("#[crd(label(\"app\", \"gpu\"))]"),
    CONVERSION = "conversion" => crd_attribute(Form::Arguments(CONVERSION))
        .summary("Conversion webhook between versions.")
        .details(
            "The service is given as \"namespace/name\". A package with `[package.metadata.genclient.deploy]` in its \
             Cargo.toml has a service already, and needs only `conversion(webhook)`. By default the path is `/convert` and the review version \
             `v1`, as `genclient-controller` serves them. For a webhook that runs outside the cluster, write \
             `url = \"https://host:port/convert\"` instead of the service. `genclient-controller` also writes the \
             certificate that the API server needs; cert-manager does so \
             with `annotation(\"cert-manager.io/inject-ca-from\", \"namespace/certificate\")`.",
        )
        .example("#[crd(conversion(webhook(service = \"system/webhook\")))]"),
}

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

const fn crd_attribute(key: Key, form: Form) -> Attribute {
    Attribute::new(Within::Crd, key, form, &[Target::Resource])
}
