//! Go markers that name no attribute of their own: aliases, and markers without a counterpart.

use Here::{Instead, Key};

/// What does here what a marker does in Go.
#[derive(Clone, Copy)]
pub(crate) enum Here {
    /// An attribute or key.
    Key(&'static str),
    /// Something else, or nothing.
    Instead(&'static str),
}

/// The counterpart of a marker, written with or without its `+`.
pub(super) fn here(marker: &str) -> Option<Here> {
    let marker = marker.trim_start_matches('+');
    let mut rows = MARKERS.iter();
    let row = rows.find(|(markers, _)| markers.contains(&marker));
    row.map(|(_, here)| *here)
}

/// Markers of controller-gen, code-generator, kube-openapi and validation-gen.
pub(crate) const MARKERS: &[(&[&str], Here)] = &[
    // controller-gen
    (
        &["kubebuilder:rbac"],
        Instead(
            "No counterpart: genclient writes no roles. Write the Role or ClusterRole by hand.",
        ),
    ),
    (
        &["kubebuilder:webhook", "kubebuilder:webhookconfiguration"],
        Instead(
            "No counterpart: genclient writes no webhook configurations. Write them by hand. \
             The webhook that converts between versions is `#[crd(conversion(..))]`.",
        ),
    ),
    (
        &["kubebuilder:object:root"],
        Instead("`#[genclient]` above the struct. It needs no list type."),
    ),
    (
        &["kubebuilder:object:generate", "k8s:deepcopy-gen"],
        Instead("`#[derive(Clone)]`: a clone is a deep copy."),
    ),
    (
        &["kubebuilder:ac", "k8s:applyconfiguration-gen"],
        Instead("No counterpart: `apply` takes any value that serializes as the fields to apply."),
    ),
    (
        &["kubebuilder:skip"],
        Instead(
            "Nothing to write: a struct without `#[genclient]` is no kind. A type that derives \
             `CrdSchema` gets no schema with `#[crd(skip)]`.",
        ),
    ),
    (
        &["kubebuilder:subresource:status"],
        Instead(
            "A field `status`; of any form as `Option<serde_json::Value>`. There is no subresource \
             without it: the API server would drop what is written there. \
             `#[genclient(no_status)]` leaves it out.",
        ),
    ),
    (
        &["kubebuilder:resource"],
        Instead(
            "`#[crd(plural = \"..\", singular = \"..\", short_names = [..], categories = [..], \
             scope = \"..\")]`.",
        ),
    ),
    (
        &["kubebuilder:metadata"],
        Instead("`#[crd(annotation(\"key\", \"value\"), label(\"key\", \"value\"))]`."),
    ),
    (
        &["kubebuilder:validation:XPreserveUnknownFields"],
        Key("preserve_unknown_fields"),
    ),
    (
        &["kubebuilder:validation:XEmbeddedResource"],
        Key("embedded_resource"),
    ),
    (
        &["kubebuilder:validation:Optional", "k8s:optional"],
        Key("optional"),
    ),
    (
        &["kubebuilder:validation:Required", "k8s:required"],
        Key("required"),
    ),
    (&["k8s:listType", "k8s:unique"], Key("list_type")),
    (&["k8s:listMapKey"], Key("list_map_keys")),
    (
        &["k8s:enum"],
        Instead("A Rust enum: its variants are the values."),
    ),
    // Clients
    (
        &["groupGoName"],
        Instead("`group-aliases` in `[package.metadata.genclient]` names the module of a group."),
    ),
    (&["resourceName"], Key("plural")),
    (
        &["k8s:client-gen", "k8s:lister-gen", "k8s:informer-gen"],
        Instead("Every kind has them. `#[genclient(skip_client)]` leaves those of a kind out."),
    ),
    (
        &["k8s:register-gen"],
        Instead("Nothing to write: `scheme.rs` of the client lists every kind."),
    ),
    (
        &["k8s:protobuf-gen"],
        Instead("No counterpart: custom resources have no protobuf encoding."),
    ),
    // Defaults, versions, schemas
    (
        &["k8s:defaulter-gen", "k8s:defaulter-gen-input"],
        Instead(
            "`#[crd(default = ..)]`, or `#[serde(default = \"function\")]`: the API server fills \
             the default in.",
        ),
    ),
    (
        &[
            "k8s:conversion-gen",
            "k8s:conversion-gen-external-types",
            "k8s:conversion-fn",
        ],
        Instead(
            "No counterpart: write `impl From` between the types of two versions, and name the \
             webhook that uses it: `#[crd(conversion(..))]`.",
        ),
    ),
    (
        &["k8s:prerelease-lifecycle-gen"],
        Instead("No counterpart: `#[crd(deprecated)]` warns the clients of a version."),
    ),
    (
        &["k8s:openapi-gen", "k8s:openapi-model-package"],
        Instead("`#[derive(CrdSchema)]`: the API server publishes the schemas of CRDs."),
    ),
    (
        &["patchStrategy", "patchMergeKey"],
        Instead(
            "`#[crd(list_type = \"map\", list_map_keys = [..])]`: custom resources have no \
             strategic merge patch, but server-side apply merges.",
        ),
    ),
    (
        &[
            "union",
            "unionDiscriminator",
            "k8s:unionDiscriminator",
            "k8s:unionMember",
            "k8s:modeDiscriminator",
            "k8s:ifMode",
        ],
        Instead(
            "An enum with data; with `#[serde(tag = \"..\")]` a field tells the variants apart.",
        ),
    ),
    // Constraints, of openapi-gen and of validation-gen
    (&["k8s:validation:minimum", "k8s:minimum"], Key("minimum")),
    (&["k8s:validation:maximum", "k8s:maximum"], Key("maximum")),
    (
        &["k8s:validation:exclusiveMinimum"],
        Key("exclusive_minimum"),
    ),
    (
        &["k8s:validation:exclusiveMaximum"],
        Key("exclusive_maximum"),
    ),
    (&["k8s:validation:multipleOf"], Key("multiple_of")),
    (
        &["k8s:validation:minLength", "k8s:minLength"],
        Key("min_length"),
    ),
    (
        &["k8s:validation:maxLength", "k8s:maxLength"],
        Key("max_length"),
    ),
    (&["k8s:validation:pattern"], Key("pattern")),
    (&["k8s:format"], Key("format")),
    (
        &["k8s:validation:minItems", "k8s:minItems"],
        Key("min_items"),
    ),
    (
        &["k8s:validation:maxItems", "k8s:maxItems"],
        Key("max_items"),
    ),
    (&["k8s:validation:uniqueItems"], Key("unique_items")),
    (
        &["k8s:validation:minProperties", "k8s:minProperties"],
        Key("min_properties"),
    ),
    (
        &["k8s:validation:maxProperties", "k8s:maxProperties"],
        Key("max_properties"),
    ),
    (&["k8s:validation:cel"], Key("validation")),
    (&["k8s:zeroOrOneOfMember"], Key("at_most_one_of")),
    (&["k8s:eachKey"], Key("keys")),
    (
        &["k8s:eachVal"],
        Instead(
            "`#[crd(items(..))]` for the items of a list, `#[crd(values(..))]` for the values of a map.",
        ),
    ),
    (
        &["k8s:maxBytes"],
        Instead(
            "A rule: `#[crd(validation(rule = \"size(bytes(self)) <= 63\"))]`; `max_length` counts \
             code points.",
        ),
    ),
    (
        &["k8s:update", "k8s:monotonic"],
        Instead("`#[crd(immutable)]`, or a rule that compares with `oldSelf`."),
    ),
    (
        &[
            "k8s:enumExclude",
            "k8s:neq",
            "k8s:forbidden",
            "k8s:item",
            "k8s:subfield",
            "k8s:customUnique",
            "k8s:dependentRequired",
            "k8s:dependentForbidden",
            "k8s:customValidation",
        ],
        Instead("A CEL rule: `#[crd(validation(rule = \"..\"))]`."),
    ),
    (
        &["k8s:opaqueType"],
        Instead(
            "No counterpart: the constraints of a type hold wherever it is used. \
             `#[crd(schema = { .. })]` states the schema of a field.",
        ),
    ),
    (
        &["k8s:ifEnabled", "k8s:ifDisabled", "k8s:alpha", "k8s:beta"],
        Instead(
            "No counterpart: a CRD has no feature gates, and its constraints no stability level.",
        ),
    ),
    (
        &["k8s:isSubresource", "k8s:supportsSubresource"],
        Instead("A field `status`, and `#[crd(scale(..))]`: a CRD has no other subresources."),
    ),
    (
        &[
            "k8s:validation-gen",
            "k8s:validation-gen-input",
            "k8s:validation-gen-scheme-registry",
            "k8s:validation-gen-nolint",
        ],
        Instead("Nothing to write: the API server validates by the CRD."),
    ),
    (
        &[
            "k8s:validation-gen-test-fixture",
            "k8s:validation-gen-test-targets",
            "k8s:validateTrue",
            "k8s:validateFalse",
            "k8s:validateError",
            "k8s:validateTrueAlpha",
            "k8s:validateTrueBeta",
        ],
        Instead("No counterpart: it is for the tests of validation-gen itself."),
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use genclient_syntax::table::find;

    use super::{Here, MARKERS};

    #[test]
    fn every_marker_has_one_meaning() {
        let mut seen = BTreeSet::new();
        for (markers, here) in MARKERS {
            for marker in *markers {
                assert!(seen.insert(marker), "{marker} is there twice");
                assert!(find(marker).next().is_none(), "{marker} is in the table");
            }
            match here {
                Here::Key(key) => assert!(find(key).next().is_some(), "no key {key}"),
                Here::Instead(text) => assert!(text.ends_with('.'), "{text}"),
            }
        }
    }
}
