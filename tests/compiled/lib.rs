//! All golden cases as modules, compiled without warnings of the compiler, clippy or rustdoc.

#![deny(warnings)]

use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads the definitions of a case.
pub type Definitions = fn() -> Vec<CustomResourceDefinition>;

/// Deserializes an object as its type, and serializes it again.
pub type Rewrite = fn(&Value) -> serde_json::Result<Value>;

fn rewrite<K: DeserializeOwned + Serialize>(object: &Value) -> serde_json::Result<Value> {
    serde_json::to_value(K::deserialize(object)?)
}

/// The traits of `genclient-controller` that webhooks implement, as far as `#[webhook]` uses them.
pub mod admission {
    /// A mutating webhook.
    pub trait Defaulter {
        /// The kind that the webhook admits.
        type Object;
        /// The path that the webhook is served at.
        const PATH: Option<&'static str> = None;
    }

    /// A validating webhook.
    pub trait Validator {
        /// The kind that the webhook admits.
        type Object;
        /// The path that the webhook is served at.
        const PATH: Option<&'static str> = None;
    }
}

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

/// `golden/controller_gen_rbac`
#[path = "../golden/controller_gen_rbac"]
pub mod controller_gen_rbac {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod controller;
}

/// `golden/controller_gen_typealias`
#[path = "../golden/controller_gen_typealias"]
pub mod controller_gen_typealias {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen_webhook`
#[path = "../golden/controller_gen_webhook"]
pub mod controller_gen_webhook {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
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

/// `golden/conversion_by_url`
#[path = "../golden/conversion_by_url"]
pub mod conversion_by_url {
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

/// `golden/junctors`
#[path = "../golden/junctors"]
pub mod junctors {
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
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
}

/// `golden/kube_derive_constants`
#[path = "../golden/kube_derive_constants"]
pub mod kube_derive_constants {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod limits;
}

/// `golden/kube_derive_defaults`
#[path = "../golden/kube_derive_defaults"]
pub mod kube_derive_defaults {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive_functions`
#[path = "../golden/kube_derive_functions"]
pub mod kube_derive_functions {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive_idioms`
#[path = "../golden/kube_derive_idioms"]
pub mod kube_derive_idioms {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube_derive_macros`
#[path = "../golden/kube_derive_macros"]
pub mod kube_derive_macros {
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

/// `golden/rbac_inferred`
#[path = "../golden/rbac_inferred"]
pub mod rbac_inferred {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod controller;
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

/// `golden/selectable_versions`
#[path = "../golden/selectable_versions"]
pub mod selectable_versions {
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

/// `golden/webhook_keys`
#[path = "../golden/webhook_keys"]
pub mod webhook_keys {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
}

/// `golden/webhook_kinds`
#[path = "../golden/webhook_kinds"]
pub mod webhook_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
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
    (
        "controller_gen_rbac",
        controller_gen_rbac::client::crds::all,
    ),
    (
        "controller_gen_webhook",
        controller_gen_webhook::client::crds::all,
    ),
    ("conversion", conversion::client::crds::all),
    ("conversion_by_url", conversion_by_url::client::crds::all),
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
    ("junctors", junctors::client::crds::all),
    ("keyword_kinds", keyword_kinds::client::crds::all),
    ("kube_derive", kube_derive::client::crds::all),
    (
        "kube_derive_constants",
        kube_derive_constants::client::crds::all,
    ),
    (
        "kube_derive_defaults",
        kube_derive_defaults::client::crds::all,
    ),
    (
        "kube_derive_functions",
        kube_derive_functions::client::crds::all,
    ),
    ("kube_derive_idioms", kube_derive_idioms::client::crds::all),
    ("kube_derive_macros", kube_derive_macros::client::crds::all),
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
    ("rbac_inferred", rbac_inferred::client::crds::all),
    ("readonly", readonly::client::crds::all),
    ("reserved_groups", reserved_groups::client::crds::all),
    ("runtime_kinds", runtime_kinds::client::crds::all),
    ("same_first_label", same_first_label::client::crds::all),
    ("scale", scale::client::crds::all),
    (
        "selectable_versions",
        selectable_versions::client::crds::all,
    ),
    ("serde_names", serde_names::client::crds::all),
    ("serde_shapes", serde_shapes::client::crds::all),
    ("single_file", single_file::client::crds::all),
    ("skip_crd", skip_crd::client::crds::all),
    ("skip_verbs", skip_verbs::client::crds::all),
    ("skip_version", skip_version::client::crds::all),
    ("status", status::client::crds::all),
    ("unit_enums", unit_enums::client::crds::all),
    ("webhook_keys", webhook_keys::client::crds::all),
    ("webhook_kinds", webhook_kinds::client::crds::all),
];

/// The kinds of each case, and how their types read an object and write it again.
#[allow(deprecated, reason = "some types are")]
pub const KINDS: &[(&str, &str, &str, Rewrite)] = &[
    (
        "boilerplate",
        "licensed.example.com/v1",
        "Book",
        rewrite::<boilerplate::apis::v1::Book>,
    ),
    (
        "builtin_types",
        "builtin.example.com/v1",
        "Service",
        rewrite::<builtin_types::apis::v1::Service>,
    ),
    (
        "builtin_types",
        "builtin.example.com/v1",
        "Workload",
        rewrite::<builtin_types::apis::v1::Workload>,
    ),
    (
        "cluster_scoped",
        "world.example.com/v1",
        "Region",
        rewrite::<cluster_scoped::apis::v1::Region>,
    ),
    (
        "cluster_scoped",
        "world.example.com/v1",
        "Zone",
        rewrite::<cluster_scoped::apis::v1::Zone>,
    ),
    (
        "collections",
        "collections.example.com/v1",
        "Shelf",
        rewrite::<collections::apis::v1::Shelf>,
    ),
    (
        "columns",
        "columns.example.com/v1",
        "TableRow",
        rewrite::<columns::apis::v1::TableRow>,
    ),
    (
        "conditional",
        "always.example.com/v1",
        "Always",
        rewrite::<conditional::apis::v1::Always>,
    ),
    #[cfg(feature = "extra")]
    (
        "conditional",
        "always.example.com/v1",
        "Sometimes",
        rewrite::<conditional::apis::v1::Sometimes>,
    ),
    #[cfg(any(feature = "extra", windows))]
    #[cfg(all(unix, not(windows)))]
    (
        "conditional",
        "extra.example.com/v1",
        "Unix",
        rewrite::<conditional::apis::extra::v1::Unix>,
    ),
    #[cfg(feature = "extra")]
    (
        "conditional_only",
        "only.example.com/v1",
        "Only",
        rewrite::<conditional_only::apis::v1::Only>,
    ),
    (
        "conflicting_names",
        "blue.example.com/v1",
        "Paint",
        rewrite::<conflicting_names::apis::blue::Paint>,
    ),
    (
        "conflicting_names",
        "red.example.com/v1",
        "Paint",
        rewrite::<conflicting_names::apis::red::v1::Paint>,
    ),
    (
        "conflicting_names",
        "red.example.com/v2alpha1",
        "Paint",
        rewrite::<conflicting_names::apis::red::v2alpha1::Paint>,
    ),
    (
        "constraints",
        "limits.example.com/v1",
        "Quota",
        rewrite::<constraints::apis::v1::Quota>,
    ),
    (
        "controller_gen_cronjob",
        "testdata.kubebuilder.io/v1",
        "CronJob",
        rewrite::<controller_gen_cronjob::apis::v1::CronJob>,
    ),
    (
        "controller_gen_cronjob",
        "testdata.kubebuilder.io/v1beta2",
        "CronJob",
        rewrite::<controller_gen_cronjob::apis::v1beta2::CronJob>,
    ),
    (
        "controller_gen_cronjob",
        "testdata.kubebuilder.io/v1beta1",
        "CronJob",
        rewrite::<controller_gen_cronjob::apis::v1beta1::CronJob>,
    ),
    (
        "controller_gen_enum",
        "testdata.kubebuilder.io/v1",
        "Enum",
        rewrite::<controller_gen_enum::apis::v1::Enum>,
    ),
    (
        "controller_gen_external_docs",
        "testdata.kubebuilder.io/v1",
        "ExternalDoc",
        rewrite::<controller_gen_external_docs::apis::v1::ExternalDoc>,
    ),
    (
        "controller_gen_gen",
        "bar.example.com/foo",
        "Foo",
        rewrite::<controller_gen_gen::apis::foo::Foo>,
    ),
    (
        "controller_gen_gen_max_desc_len",
        "bar.example.com/foo",
        "Foo",
        rewrite::<controller_gen_gen_max_desc_len::apis::foo::Foo>,
    ),
    (
        "controller_gen_immutable",
        "testdata.kubebuilder.io/v1",
        "ImmutableType",
        rewrite::<controller_gen_immutable::apis::v1::ImmutableType>,
    ),
    (
        "controller_gen_job",
        "testdata.kubebuilder.io/v1beta1",
        "Job",
        rewrite::<controller_gen_job::apis::v1beta1::Job>,
    ),
    (
        "controller_gen_merging",
        "merging.example.com/v1",
        "Merging",
        rewrite::<controller_gen_merging::apis::v1::Merging>,
    ),
    (
        "controller_gen_multiple_versions",
        "testdata.kubebuilder.io/v1beta2",
        "VersionedResource",
        rewrite::<controller_gen_multiple_versions::apis::v1beta2::VersionedResource>,
    ),
    (
        "controller_gen_multiple_versions",
        "testdata.kubebuilder.io/v1beta1",
        "VersionedResource",
        rewrite::<controller_gen_multiple_versions::apis::v1beta1::VersionedResource>,
    ),
    (
        "controller_gen_oneof",
        "testdata.kubebuilder.io/v1beta1",
        "Oneof",
        rewrite::<controller_gen_oneof::apis::v1beta1::Oneof>,
    ),
    (
        "controller_gen_plural",
        "plural.example.com/v1",
        "TestQuota",
        rewrite::<controller_gen_plural::apis::v1::TestQuota>,
    ),
    (
        "controller_gen_rbac",
        "testdata.kubebuilder.io/v1",
        "CronJob",
        rewrite::<controller_gen_rbac::apis::v1::CronJob>,
    ),
    (
        "controller_gen_typealias",
        "testdata.kubebuilder.io/v1",
        "IndirectAlias",
        rewrite::<controller_gen_typealias::apis::v1::IndirectAlias>,
    ),
    (
        "controller_gen_webhook",
        "testdata.kubebuilder.io/v1",
        "CronJob",
        rewrite::<controller_gen_webhook::apis::v1::CronJob>,
    ),
    (
        "controller_gen_webhook",
        "testdata.kubebuilder.io/v1alpha1",
        "CronJob",
        rewrite::<controller_gen_webhook::apis::v1alpha1::CronJob>,
    ),
    (
        "controller_gen_zoo",
        "bar.example.com/zoo",
        "Zoo",
        rewrite::<controller_gen_zoo::apis::zoo::Zoo>,
    ),
    (
        "conversion",
        "conversion.example.com/v2",
        "Unit",
        rewrite::<conversion::apis::v2::Unit>,
    ),
    (
        "conversion",
        "conversion.example.com/v1",
        "Unit",
        rewrite::<conversion::apis::v1::Unit>,
    ),
    (
        "conversion",
        "conversion.example.com/v1beta1",
        "Unit",
        rewrite::<conversion::apis::v1beta1::Unit>,
    ),
    (
        "conversion_by_url",
        "outside.example.com/v1",
        "Unit",
        rewrite::<conversion_by_url::apis::v1::Unit>,
    ),
    (
        "conversion_by_url",
        "outside.example.com/v1beta1",
        "Unit",
        rewrite::<conversion_by_url::apis::v1beta1::Unit>,
    ),
    (
        "data_enums",
        "data.example.com/v1",
        "Choice",
        rewrite::<data_enums::apis::v1::Choice>,
    ),
    (
        "default_values",
        "values.example.com/v1",
        "Deploy",
        rewrite::<default_values::apis::v1::Deploy>,
    ),
    (
        "defaults",
        "defaults.example.com/v1",
        "Job",
        rewrite::<defaults::apis::v1::Job>,
    ),
    (
        "digit_group",
        "3scale.example.com/alpha-1",
        "Proxy",
        rewrite::<digit_group::apis::Proxy>,
    ),
    (
        "docs",
        "docs.example.com/v1",
        "Leaflet",
        rewrite::<docs::apis::v1::Leaflet>,
    ),
    (
        "docs",
        "docs.example.com/v1",
        "Page",
        rewrite::<docs::apis::v1::Page>,
    ),
    (
        "elsewhere",
        "elsewhere.example.com/v1",
        "Machine",
        rewrite::<elsewhere::apis::v1::Machine>,
    ),
    (
        "every_constraint",
        "constraints.example.com/v1",
        "Sample",
        rewrite::<every_constraint::apis::v1::Sample>,
    ),
    (
        "extension_methods",
        "robots.example.com/v1",
        "Robot",
        rewrite::<extension_methods::apis::v1::Robot>,
    ),
    (
        "flatten",
        "flat.example.com/v1",
        "Flat",
        rewrite::<flatten::apis::v1::Flat>,
    ),
    (
        "hyphen_group",
        "hyphen-group.example.com/v1",
        "Dash",
        rewrite::<hyphen_group::apis::v1::Dash>,
    ),
    (
        "irregular_plurals",
        "plurals.example.com/v1",
        "Gateway",
        rewrite::<irregular_plurals::apis::v1::Gateway>,
    ),
    (
        "irregular_plurals",
        "plurals.example.com/v1",
        "HTTPLeaf",
        rewrite::<irregular_plurals::apis::v1::HTTPLeaf>,
    ),
    (
        "irregular_plurals",
        "plurals.example.com/v1",
        "I",
        rewrite::<irregular_plurals::apis::v1::I>,
    ),
    (
        "irregular_plurals",
        "plurals.example.com/v1",
        "Ingress",
        rewrite::<irregular_plurals::apis::v1::Ingress>,
    ),
    (
        "irregular_plurals",
        "plurals.example.com/v1",
        "NetworkPolicy",
        rewrite::<irregular_plurals::apis::v1::NetworkPolicy>,
    ),
    (
        "junctors",
        "junctors.example.com/v1",
        "Gate",
        rewrite::<junctors::apis::v1::Gate>,
    ),
    (
        "keyword_kinds",
        "keywords.example.com/v1",
        "Import",
        rewrite::<keyword_kinds::apis::v1::Import>,
    ),
    (
        "keyword_kinds",
        "keywords.example.com/v1",
        "Match",
        rewrite::<keyword_kinds::apis::v1::Match>,
    ),
    (
        "keyword_kinds",
        "keywords.example.com/v1",
        "Mod",
        rewrite::<keyword_kinds::apis::v1::Mod>,
    ),
    (
        "keyword_kinds",
        "keywords.example.com/v1",
        "Type",
        rewrite::<keyword_kinds::apis::v1::Type>,
    ),
    (
        "keyword_kinds",
        "type.example.com/v1",
        "Self",
        rewrite::<keyword_kinds::apis::v1::Itself>,
    ),
    (
        "kube_derive",
        "print.example.com/v1",
        "Archive",
        rewrite::<kube_derive::apis::v1::Archive>,
    ),
    (
        "kube_derive",
        "print.example.com/v1",
        "Press",
        rewrite::<kube_derive::apis::v1::Press>,
    ),
    (
        "kube_derive_constants",
        "constants.example.com/v1",
        "Grid",
        rewrite::<kube_derive_constants::apis::v1::Grid>,
    ),
    (
        "kube_derive_defaults",
        "defaults.example.com/v1",
        "Kiln",
        rewrite::<kube_derive_defaults::apis::v1::Kiln>,
    ),
    (
        "kube_derive_functions",
        "functions.example.com/v1",
        "Press",
        rewrite::<kube_derive_functions::apis::v1::Press>,
    ),
    (
        "kube_derive_idioms",
        "idioms.example.com/v1",
        "Forge",
        rewrite::<kube_derive_idioms::apis::v1::Forge>,
    ),
    (
        "kube_derive_roots",
        "roots.example.com/v1",
        "Box",
        rewrite::<kube_derive_roots::apis::new::Box>,
    ),
    (
        "kube_derive_roots",
        "roots.example.com/v1beta1",
        "Box",
        rewrite::<kube_derive_roots::apis::old::Box>,
    ),
    (
        "kube_derive_roots",
        "roots.example.com/v1",
        "HTTPRoute",
        rewrite::<kube_derive_roots::apis::mixed::HttpRoute>,
    ),
    (
        "kube_derive_roots",
        "roots.example.com/v1",
        "Policy",
        rewrite::<kube_derive_roots::apis::mixed::Policy>,
    ),
    (
        "kube_derive_roots",
        "roots.example.com/v1",
        "Switch",
        rewrite::<kube_derive_roots::apis::mixed::Switch>,
    ),
    (
        "kube_derive_schemars",
        "schemars.example.com/v1",
        "Form",
        rewrite::<kube_derive_schemars::apis::v1::Form>,
    ),
    (
        "kubernetes_types",
        "kube.example.com/v1",
        "Backup",
        rewrite::<kubernetes_types::apis::v1::Backup>,
    ),
    (
        "long_names",
        "infrastructureandplatform.example.com/v1beta1",
        "ClusterInferencePoolSetty",
        rewrite::<long_names::apis::v1beta1::ClusterInferencePoolSetty>,
    ),
    (
        "long_names",
        "infrastructureandplatformandnetworksandpolicy.example.com/v1beta1",
        "HorizontallyScalableMachineLearningWorkloadss",
        rewrite::<long_names::apis::v1beta1::HorizontallyScalableMachineLearningWorkloadss>,
    ),
    (
        "max_desc_len",
        "short.example.com/v1",
        "Note",
        rewrite::<max_desc_len::apis::v1::Note>,
    ),
    (
        "merged_constraints",
        "merged.example.com/v1",
        "Widget",
        rewrite::<merged_constraints::apis::v1::Widget>,
    ),
    (
        "module_layout",
        "beside.example.com/v2",
        "Beside",
        rewrite::<module_layout::apis::beside::v2::Beside>,
    ),
    (
        "module_layout",
        "inline.example.com/v1",
        "Foldered",
        rewrite::<module_layout::apis::inline::folder::v1::Foldered>,
    ),
    (
        "module_layout",
        "inline.example.com/v1",
        "Inline",
        rewrite::<module_layout::apis::inline::v1::Inline>,
    ),
    (
        "module_layout",
        "mixed.example.com/v1",
        "Mixed",
        rewrite::<module_layout::apis::MixedCase::v1::Mixed>,
    ),
    (
        "module_layout",
        "moved.example.com/v1beta1",
        "Moved",
        rewrite::<module_layout::apis::moved::v1beta1::Moved>,
    ),
    (
        "module_layout",
        "private.example.com/v2",
        "Hidden",
        rewrite::<module_layout::apis::v2::Hidden>,
    ),
    (
        "module_layout",
        "private.example.com/v1",
        "Hidden",
        rewrite::<module_layout::apis::Shown>,
    ),
    (
        "more_methods",
        "robots.example.com/v1",
        "Robot",
        rewrite::<more_methods::apis::v1::Robot>,
    ),
    (
        "more_runtime_kinds",
        "runtime.example.com/v1",
        "AnyObject",
        rewrite::<more_runtime_kinds::apis::v1::AnyObject>,
    ),
    (
        "more_runtime_kinds",
        "runtime.example.com/v1",
        "Indexer",
        rewrite::<more_runtime_kinds::apis::v1::Indexer>,
    ),
    (
        "more_runtime_kinds",
        "runtime.example.com/v1",
        "Lister",
        rewrite::<more_runtime_kinds::apis::v1::Lister>,
    ),
    (
        "more_runtime_kinds",
        "runtime.example.com/v1",
        "ListParams",
        rewrite::<more_runtime_kinds::apis::v1::ListParams>,
    ),
    (
        "more_runtime_kinds",
        "runtime.example.com/v1",
        "Scale",
        rewrite::<more_runtime_kinds::apis::v1::Scale>,
    ),
    (
        "more_runtime_kinds",
        "runtime.example.com/v1",
        "TypeMeta",
        rewrite::<more_runtime_kinds::apis::v1::TypeMeta>,
    ),
    (
        "multi_version",
        "train.example.com/v1",
        "Train",
        rewrite::<multi_version::apis::v1::Train>,
    ),
    (
        "multi_version",
        "train.example.com/v1beta1",
        "Train",
        rewrite::<multi_version::apis::v1beta1::OldTrain>,
    ),
    (
        "multi_version",
        "train.example.com/v1alpha1",
        "Train",
        rewrite::<multi_version::apis::v1alpha1::Train>,
    ),
    (
        "namespaced",
        "furniture.example.com/v1",
        "Chair",
        rewrite::<namespaced::apis::v1::Chair>,
    ),
    (
        "nested_types",
        "nested.example.com/v1",
        "House",
        rewrite::<nested_types::apis::v1::House>,
    ),
    (
        "no_status",
        "parts.example.com/v1",
        "Bolt",
        rewrite::<no_status::apis::v1::Bolt>,
    ),
    (
        "no_verbs",
        "policy.example.com/v1",
        "Eviction",
        rewrite::<no_verbs::apis::v1::Eviction>,
    ),
    (
        "null_values",
        "nulls.example.com/v1",
        "Widget",
        rewrite::<null_values::apis::v1::Widget>,
    ),
    (
        "only_verbs",
        "orders.example.com/v1",
        "OrderReview",
        rewrite::<only_verbs::apis::v1::OrderReview>,
    ),
    (
        "only_verbs",
        "orders.example.com/v1",
        "Order",
        rewrite::<only_verbs::apis::v1::Order>,
    ),
    (
        "overrides",
        "overrides.example.com/v1",
        "Crate",
        rewrite::<overrides::apis::v1::Crate>,
    ),
    (
        "plain_types",
        "plain.example.com/v1",
        "Plain",
        rewrite::<plain_types::apis::v1::Plain>,
    ),
    (
        "plural_override",
        "net.example.com/v1",
        "Endpoints",
        rewrite::<plural_override::apis::v1::Endpoints>,
    ),
    (
        "prelude_kinds",
        "prelude.example.com/v1",
        "Arc",
        rewrite::<prelude_kinds::apis::v1::Arc>,
    ),
    (
        "prelude_kinds",
        "prelude.example.com/v1",
        "Box",
        rewrite::<prelude_kinds::apis::v1::Box>,
    ),
    (
        "prelude_kinds",
        "prelude.example.com/v1",
        "Option",
        rewrite::<prelude_kinds::apis::v1::Option>,
    ),
    (
        "prelude_kinds",
        "prelude.example.com/v1",
        "Result",
        rewrite::<prelude_kinds::apis::v1::Result>,
    ),
    (
        "prelude_kinds",
        "prelude.example.com/v1",
        "String",
        rewrite::<prelude_kinds::apis::v1::String>,
    ),
    (
        "prelude_kinds",
        "prelude.example.com/v1",
        "Vec",
        rewrite::<prelude_kinds::apis::v1::Vec>,
    ),
    (
        "raw_field",
        "raw.example.com/v1",
        "Parcel",
        rewrite::<raw_field::apis::v1::Parcel>,
    ),
    (
        "raw_field",
        "raw.example.com/v1",
        "Stamp",
        rewrite::<raw_field::apis::r#type::v1::Stamp>,
    ),
    (
        "rbac_inferred",
        "example.com/v1",
        "Pool",
        rewrite::<rbac_inferred::apis::v1::Pool>,
    ),
    (
        "rbac_inferred",
        "example.com/v1",
        "Task",
        rewrite::<rbac_inferred::apis::v1::Task>,
    ),
    (
        "readonly",
        "measures.example.com/v1",
        "Reading",
        rewrite::<readonly::apis::v1::Reading>,
    ),
    (
        "readonly",
        "measures.example.com/v1",
        "Sample",
        rewrite::<readonly::apis::v1::Sample>,
    ),
    (
        "reserved_groups",
        "clientset.example.com/v1",
        "Three",
        rewrite::<reserved_groups::apis::v1::Three>,
    ),
    (
        "reserved_groups",
        "core.example.com/v1",
        "Five",
        rewrite::<reserved_groups::apis::v1::Five>,
    ),
    (
        "reserved_groups",
        "crate.example.com/v1",
        "Four",
        rewrite::<reserved_groups::apis::v1::Four>,
    ),
    (
        "reserved_groups",
        "genclient.example.com/v1",
        "One",
        rewrite::<reserved_groups::apis::v1::One>,
    ),
    (
        "reserved_groups",
        "std.example.com/v1",
        "Two",
        rewrite::<reserved_groups::apis::v1::Two>,
    ),
    (
        "runtime_kinds",
        "runtime.example.com/v1",
        "Client",
        rewrite::<runtime_kinds::apis::v1::Client>,
    ),
    (
        "runtime_kinds",
        "runtime.example.com/v1",
        "Clientset",
        rewrite::<runtime_kinds::apis::v1::Clientset>,
    ),
    (
        "runtime_kinds",
        "runtime.example.com/v1",
        "Kind",
        rewrite::<runtime_kinds::apis::v1::Kind>,
    ),
    (
        "runtime_kinds",
        "runtime.example.com/v1",
        "Namespace",
        rewrite::<runtime_kinds::apis::v1::Namespace>,
    ),
    (
        "runtime_kinds",
        "runtime.example.com/v1",
        "Patch",
        rewrite::<runtime_kinds::apis::v1::Patch>,
    ),
    (
        "runtime_kinds",
        "runtime.example.com/v1",
        "Status",
        rewrite::<runtime_kinds::apis::v1::Status>,
    ),
    (
        "same_first_label",
        "example.com/v1",
        "TestType",
        rewrite::<same_first_label::apis::first::v1::TestType>,
    ),
    (
        "same_first_label",
        "example.test.dev/v1",
        "TestType",
        rewrite::<same_first_label::apis::second::v1::TestType>,
    ),
    (
        "scale",
        "fleet.example.com/v1",
        "Fleet",
        rewrite::<scale::apis::v1::Fleet>,
    ),
    (
        "selectable_versions",
        "selectable.example.com/v1",
        "Task",
        rewrite::<selectable_versions::apis::v1::Task>,
    ),
    (
        "selectable_versions",
        "selectable.example.com/v1beta1",
        "Task",
        rewrite::<selectable_versions::apis::v1beta1::Task>,
    ),
    (
        "serde_names",
        "names.example.com/v1",
        "Label",
        rewrite::<serde_names::apis::v1::Label>,
    ),
    (
        "serde_shapes",
        "shapes.example.com/v1",
        "Shape",
        rewrite::<serde_shapes::apis::v1::Shape>,
    ),
    (
        "single_file",
        "single.example.com/v1",
        "Duet",
        rewrite::<single_file::apis::TwoOfThem>,
    ),
    (
        "single_file",
        "single.example.com/v1",
        "Solo",
        rewrite::<single_file::apis::Solo>,
    ),
    (
        "skip_client",
        "config.example.com/v1",
        "Settings",
        rewrite::<skip_client::apis::v1::Settings>,
    ),
    (
        "skip_crd",
        "apps.example.com/v1",
        "Unseen",
        rewrite::<skip_crd::apis::v1::Unseen>,
    ),
    (
        "skip_verbs",
        "archive.example.com/v1",
        "Record",
        rewrite::<skip_verbs::apis::v1::Record>,
    ),
    (
        "skip_version",
        "train.example.com/v1",
        "Train",
        rewrite::<skip_version::apis::v1::Train>,
    ),
    (
        "status",
        "works.example.com/v1beta1",
        "Bridge",
        rewrite::<status::apis::v1beta1::Bridge>,
    ),
    (
        "status",
        "works.example.com/v1beta1",
        "Pier",
        rewrite::<status::apis::v1beta1::Pier>,
    ),
    (
        "unit_enums",
        "enums.example.com/v1",
        "Lamp",
        rewrite::<unit_enums::apis::v1::Lamp>,
    ),
    (
        "webhook_keys",
        "example.com/v1",
        "GPUTask",
        rewrite::<webhook_keys::apis::v1::Task>,
    ),
    (
        "webhook_kinds",
        "example.com/v1",
        "Task",
        rewrite::<webhook_kinds::apis::Task>,
    ),
];
