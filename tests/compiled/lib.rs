//! Every golden case as a module: what is generated compiles, without a warning of the compiler, clippy or rustdoc.

#![deny(warnings)]

use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// Reads the definitions of a case.
pub type Definitions = fn() -> Vec<CustomResourceDefinition>;

// The cases, as the golden tests list them.

/// `golden/boilerplate`
#[path = "../golden/boilerplate"]
pub mod boilerplate {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/builtin_types`
#[path = "../golden/builtin_types"]
pub mod builtin_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/cluster_scoped`
#[path = "../golden/cluster_scoped"]
pub mod cluster_scoped {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/collections`
#[path = "../golden/collections"]
pub mod collections {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/columns`
#[path = "../golden/columns"]
pub mod columns {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/conditional`
#[path = "../golden/conditional"]
pub mod conditional {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/conditional_only`
#[path = "../golden/conditional_only"]
pub mod conditional_only {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/conflicting_names`
#[path = "../golden/conflicting_names"]
pub mod conflicting_names {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/constraints`
#[path = "../golden/constraints"]
pub mod constraints {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/controller_gen_cronjob`
#[path = "../golden/controller_gen_cronjob"]
pub mod controller_gen_cronjob {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_enum`
#[path = "../golden/controller_gen_enum"]
pub mod controller_gen_enum {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_external_docs`
#[path = "../golden/controller_gen_external_docs"]
pub mod controller_gen_external_docs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_gen`
#[path = "../golden/controller_gen_gen"]
pub mod controller_gen_gen {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_gen_max_desc_len`
#[path = "../golden/controller_gen_gen_max_desc_len"]
pub mod controller_gen_gen_max_desc_len {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_immutable`
#[path = "../golden/controller_gen_immutable"]
pub mod controller_gen_immutable {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_job`
#[path = "../golden/controller_gen_job"]
pub mod controller_gen_job {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_merging`
#[path = "../golden/controller_gen_merging"]
pub mod controller_gen_merging {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_multiple_versions`
#[path = "../golden/controller_gen_multiple_versions"]
pub mod controller_gen_multiple_versions {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_oneof`
#[path = "../golden/controller_gen_oneof"]
pub mod controller_gen_oneof {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_plural`
#[path = "../golden/controller_gen_plural"]
pub mod controller_gen_plural {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_typealias`
#[path = "../golden/controller_gen_typealias"]
pub mod controller_gen_typealias {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_zoo`
#[path = "../golden/controller_gen_zoo"]
pub mod controller_gen_zoo {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/conversion`
#[path = "../golden/conversion"]
pub mod conversion {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/core_group`
#[path = "../golden/core_group"]
pub mod core_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/data_enums`
#[path = "../golden/data_enums"]
pub mod data_enums {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/default_values`
#[path = "../golden/default_values"]
pub mod default_values {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/defaults`
#[path = "../golden/defaults"]
pub mod defaults {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/digit_group`
#[path = "../golden/digit_group"]
pub mod digit_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/docs`
#[path = "../golden/docs"]
pub mod docs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/elsewhere`
#[path = "../golden/elsewhere"]
pub mod elsewhere {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod shared;
}

/// `golden/every_constraint`
#[path = "../golden/every_constraint"]
pub mod every_constraint {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/extension_methods`
#[path = "../golden/extension_methods"]
pub mod extension_methods {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/flatten`
#[path = "../golden/flatten"]
pub mod flatten {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/hyphen_group`
#[path = "../golden/hyphen_group"]
pub mod hyphen_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/irregular_plurals`
#[path = "../golden/irregular_plurals"]
pub mod irregular_plurals {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/keyword_kinds`
#[path = "../golden/keyword_kinds"]
pub mod keyword_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive`
#[path = "../golden/kube_derive"]
pub mod kube_derive {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive_defaults`
#[path = "../golden/kube_derive_defaults"]
pub mod kube_derive_defaults {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive_roots`
#[path = "../golden/kube_derive_roots"]
pub mod kube_derive_roots {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive_schemars`
#[path = "../golden/kube_derive_schemars"]
pub mod kube_derive_schemars {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kubernetes_types`
#[path = "../golden/kubernetes_types"]
pub mod kubernetes_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/long_names`
#[path = "../golden/long_names"]
pub mod long_names {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/max_desc_len`
#[path = "../golden/max_desc_len"]
pub mod max_desc_len {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/merged_constraints`
#[path = "../golden/merged_constraints"]
pub mod merged_constraints {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/module_layout`
#[path = "../golden/module_layout"]
pub mod module_layout {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/more_methods`
#[path = "../golden/more_methods"]
pub mod more_methods {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/more_runtime_kinds`
#[path = "../golden/more_runtime_kinds"]
pub mod more_runtime_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/multi_version`
#[path = "../golden/multi_version"]
pub mod multi_version {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/namespaced`
#[path = "../golden/namespaced"]
pub mod namespaced {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/nested_types`
#[path = "../golden/nested_types"]
pub mod nested_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/no_status`
#[path = "../golden/no_status"]
pub mod no_status {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/no_verbs`
#[path = "../golden/no_verbs"]
pub mod no_verbs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/null_values`
#[path = "../golden/null_values"]
pub mod null_values {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/only_verbs`
#[path = "../golden/only_verbs"]
pub mod only_verbs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/overrides`
#[path = "../golden/overrides"]
pub mod overrides {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/plain_types`
#[path = "../golden/plain_types"]
pub mod plain_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/plural_override`
#[path = "../golden/plural_override"]
pub mod plural_override {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/prelude_kinds`
#[path = "../golden/prelude_kinds"]
pub mod prelude_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/raw_field`
#[path = "../golden/raw_field"]
pub mod raw_field {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/readonly`
#[path = "../golden/readonly"]
pub mod readonly {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/reserved_groups`
#[path = "../golden/reserved_groups"]
pub mod reserved_groups {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/runtime_kinds`
#[path = "../golden/runtime_kinds"]
pub mod runtime_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/same_first_label`
#[path = "../golden/same_first_label"]
pub mod same_first_label {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/scale`
#[path = "../golden/scale"]
pub mod scale {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/serde_names`
#[path = "../golden/serde_names"]
pub mod serde_names {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/serde_shapes`
#[path = "../golden/serde_shapes"]
pub mod serde_shapes {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/single_file`
#[path = "../golden/single_file"]
pub mod single_file {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/skip_client`
#[path = "../golden/skip_client"]
pub mod skip_client {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/skip_crd`
#[path = "../golden/skip_crd"]
pub mod skip_crd {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/skip_verbs`
#[path = "../golden/skip_verbs"]
pub mod skip_verbs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/skip_version`
#[path = "../golden/skip_version"]
pub mod skip_version {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/status`
#[path = "../golden/status"]
pub mod status {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/unit_enums`
#[path = "../golden/unit_enums"]
pub mod unit_enums {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// The definitions of each case, as its `crds` module has them.
pub const DEFINITIONS: &[(&str, Definitions)] = &[
    ("boilerplate", boilerplate::client::crds::all),
    ("builtin_types", builtin_types::client::crds::all),
    ("cluster_scoped", cluster_scoped::client::crds::all),
    ("collections", collections::client::crds::all),
    ("columns", columns::client::crds::all),
    ("conditional", conditional::client::crds::all),
    ("conditional_only", conditional_only::client::crds::all),
    ("conflicting_names", conflicting_names::client::crds::all),
    ("constraints", constraints::client::crds::all),
    ("conversion", conversion::client::crds::all),
    ("core_group", core_group::client::crds::all),
    ("data_enums", data_enums::client::crds::all),
    ("default_values", default_values::client::crds::all),
    ("defaults", defaults::client::crds::all),
    ("digit_group", digit_group::client::crds::all),
    ("docs", docs::client::crds::all),
    ("elsewhere", elsewhere::client::crds::all),
    ("every_constraint", every_constraint::client::crds::all),
    ("extension_methods", extension_methods::client::crds::all),
    ("flatten", flatten::client::crds::all),
    ("hyphen_group", hyphen_group::client::crds::all),
    ("irregular_plurals", irregular_plurals::client::crds::all),
    ("keyword_kinds", keyword_kinds::client::crds::all),
    ("kube_derive", kube_derive::client::crds::all),
    (
        "kube_derive_defaults",
        kube_derive_defaults::client::crds::all,
    ),
    ("kube_derive_roots", kube_derive_roots::client::crds::all),
    (
        "kube_derive_schemars",
        kube_derive_schemars::client::crds::all,
    ),
    ("kubernetes_types", kubernetes_types::client::crds::all),
    ("long_names", long_names::client::crds::all),
    ("max_desc_len", max_desc_len::client::crds::all),
    ("merged_constraints", merged_constraints::client::crds::all),
    ("module_layout", module_layout::client::crds::all),
    ("more_methods", more_methods::client::crds::all),
    ("more_runtime_kinds", more_runtime_kinds::client::crds::all),
    ("multi_version", multi_version::client::crds::all),
    ("namespaced", namespaced::client::crds::all),
    ("nested_types", nested_types::client::crds::all),
    ("no_status", no_status::client::crds::all),
    ("no_verbs", no_verbs::client::crds::all),
    ("null_values", null_values::client::crds::all),
    ("only_verbs", only_verbs::client::crds::all),
    ("overrides", overrides::client::crds::all),
    ("plain_types", plain_types::client::crds::all),
    ("plural_override", plural_override::client::crds::all),
    ("prelude_kinds", prelude_kinds::client::crds::all),
    ("raw_field", raw_field::client::crds::all),
    ("readonly", readonly::client::crds::all),
    ("reserved_groups", reserved_groups::client::crds::all),
    ("runtime_kinds", runtime_kinds::client::crds::all),
    ("same_first_label", same_first_label::client::crds::all),
    ("scale", scale::client::crds::all),
    ("serde_names", serde_names::client::crds::all),
    ("serde_shapes", serde_shapes::client::crds::all),
    ("single_file", single_file::client::crds::all),
    ("skip_crd", skip_crd::client::crds::all),
    ("skip_verbs", skip_verbs::client::crds::all),
    ("skip_version", skip_version::client::crds::all),
    ("status", status::client::crds::all),
    ("unit_enums", unit_enums::client::crds::all),
];
