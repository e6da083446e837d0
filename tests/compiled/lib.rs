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

/// `golden/applyconfiguration/collections`
#[path = "../golden/applyconfiguration/collections"]
pub mod applyconfiguration_collections {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/conditional`
#[path = "../golden/applyconfiguration/conditional"]
pub mod applyconfiguration_conditional {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/conflicting`
#[path = "../golden/applyconfiguration/conflicting"]
pub mod applyconfiguration_conflicting {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/cronjob`
#[path = "../golden/applyconfiguration/cronjob"]
pub mod applyconfiguration_cronjob {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/extensions`
#[path = "../golden/applyconfiguration/extensions"]
pub mod applyconfiguration_extensions {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/hard_cases`
#[path = "../golden/applyconfiguration/hard_cases"]
pub mod applyconfiguration_hard_cases {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/hyphen_group`
#[path = "../golden/applyconfiguration/hyphen_group"]
pub mod applyconfiguration_hyphen_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/keys`
#[path = "../golden/applyconfiguration/keys"]
pub mod applyconfiguration_keys {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/lints`
#[path = "../golden/applyconfiguration/lints"]
pub mod applyconfiguration_lints {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/mixed_case`
#[path = "../golden/applyconfiguration/mixed_case"]
pub mod applyconfiguration_mixed_case {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/shared`
#[path = "../golden/applyconfiguration/shared"]
pub mod applyconfiguration_shared {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/single`
#[path = "../golden/applyconfiguration/single"]
pub mod applyconfiguration_single {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/skipped`
#[path = "../golden/applyconfiguration/skipped"]
pub mod applyconfiguration_skipped {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/applyconfiguration/whole`
#[path = "../golden/applyconfiguration/whole"]
pub mod applyconfiguration_whole {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/boilerplate`
#[path = "../golden/client/boilerplate"]
pub mod client_boilerplate {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/cluster_scoped`
#[path = "../golden/client/cluster_scoped"]
pub mod client_cluster_scoped {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/conditional`
#[path = "../golden/client/conditional"]
pub mod client_conditional {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/conditional_only`
#[path = "../golden/client/conditional_only"]
pub mod client_conditional_only {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/conversion`
#[path = "../golden/client/conversion"]
pub mod client_conversion {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/conversion_by_url`
#[path = "../golden/client/conversion_by_url"]
pub mod client_conversion_by_url {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/docs`
#[path = "../golden/client/docs"]
pub mod client_docs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/extension_methods`
#[path = "../golden/client/extension_methods"]
pub mod client_extension_methods {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/module_layout`
#[path = "../golden/client/module_layout"]
pub mod client_module_layout {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/more_methods`
#[path = "../golden/client/more_methods"]
pub mod client_more_methods {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/multi_version`
#[path = "../golden/client/multi_version"]
pub mod client_multi_version {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/namespaced`
#[path = "../golden/client/namespaced"]
pub mod client_namespaced {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/no_status`
#[path = "../golden/client/no_status"]
pub mod client_no_status {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/no_verbs`
#[path = "../golden/client/no_verbs"]
pub mod client_no_verbs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/only_verbs`
#[path = "../golden/client/only_verbs"]
pub mod client_only_verbs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/readonly`
#[path = "../golden/client/readonly"]
pub mod client_readonly {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/scale`
#[path = "../golden/client/scale"]
pub mod client_scale {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/several_types`
#[path = "../golden/client/several_types"]
pub mod client_several_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/single_file`
#[path = "../golden/client/single_file"]
pub mod client_single_file {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/skip_client`
#[path = "../golden/client/skip_client"]
pub mod client_skip_client {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/client/skip_crd`
#[path = "../golden/client/skip_crd"]
pub mod client_skip_crd {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/skip_verbs`
#[path = "../golden/client/skip_verbs"]
pub mod client_skip_verbs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/skip_version`
#[path = "../golden/client/skip_version"]
pub mod client_skip_version {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/client/status`
#[path = "../golden/client/status"]
pub mod client_status {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/config/rbac_inferred`
#[path = "../golden/config/rbac_inferred"]
pub mod config_rbac_inferred {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[allow(missing_docs, reason = "an input")]
    pub mod controller;
}

/// `golden/config/webhook_keys`
#[path = "../golden/config/webhook_keys"]
pub mod config_webhook_keys {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
}

/// `golden/config/webhook_kinds`
#[path = "../golden/config/webhook_kinds"]
pub mod config_webhook_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
}

/// `golden/controller_gen/cronjob`
#[path = "../golden/controller_gen/cronjob"]
pub mod controller_gen_cronjob {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/enum`
#[path = "../golden/controller_gen/enum"]
pub mod controller_gen_enum {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/external_docs`
#[path = "../golden/controller_gen/external_docs"]
pub mod controller_gen_external_docs {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/gen`
#[path = "../golden/controller_gen/gen"]
pub mod controller_gen_gen {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/gen_max_desc_len`
#[path = "../golden/controller_gen/gen_max_desc_len"]
pub mod controller_gen_gen_max_desc_len {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/immutable`
#[path = "../golden/controller_gen/immutable"]
pub mod controller_gen_immutable {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/job`
#[path = "../golden/controller_gen/job"]
pub mod controller_gen_job {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/merging`
#[path = "../golden/controller_gen/merging"]
pub mod controller_gen_merging {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/multiple_versions`
#[path = "../golden/controller_gen/multiple_versions"]
pub mod controller_gen_multiple_versions {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/oneof`
#[path = "../golden/controller_gen/oneof"]
pub mod controller_gen_oneof {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/plural`
#[path = "../golden/controller_gen/plural"]
pub mod controller_gen_plural {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/rbac`
#[path = "../golden/controller_gen/rbac"]
pub mod controller_gen_rbac {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[allow(missing_docs, reason = "an input")]
    pub mod controller;
}

/// `golden/controller_gen/typealias`
#[path = "../golden/controller_gen/typealias"]
pub mod controller_gen_typealias {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/controller_gen/webhook`
#[path = "../golden/controller_gen/webhook"]
pub mod controller_gen_webhook {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
}

/// `golden/controller_gen/zoo`
#[path = "../golden/controller_gen/zoo"]
pub mod controller_gen_zoo {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
}

/// `golden/kube/constants`
#[path = "../golden/kube/constants"]
pub mod kube_constants {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod limits;
}

/// `golden/kube/defaults`
#[path = "../golden/kube/defaults"]
pub mod kube_defaults {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube/derive`
#[path = "../golden/kube/derive"]
pub mod kube_derive {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod webhook;
}

/// `golden/kube/functions`
#[path = "../golden/kube/functions"]
pub mod kube_functions {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube/idioms`
#[path = "../golden/kube/idioms"]
pub mod kube_idioms {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube/macros`
#[path = "../golden/kube/macros"]
pub mod kube_macros {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube/roots`
#[path = "../golden/kube/roots"]
pub mod kube_roots {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/kube/schemars`
#[path = "../golden/kube/schemars"]
pub mod kube_schemars {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/conflicting_names`
#[path = "../golden/names/conflicting_names"]
pub mod names_conflicting_names {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/core_group`
#[path = "../golden/names/core_group"]
pub mod names_core_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/digit_group`
#[path = "../golden/names/digit_group"]
pub mod names_digit_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/hyphen_group`
#[path = "../golden/names/hyphen_group"]
pub mod names_hyphen_group {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/irregular_plurals`
#[path = "../golden/names/irregular_plurals"]
pub mod names_irregular_plurals {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/keyword_kinds`
#[path = "../golden/names/keyword_kinds"]
pub mod names_keyword_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/long_names`
#[path = "../golden/names/long_names"]
pub mod names_long_names {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/more_runtime_kinds`
#[path = "../golden/names/more_runtime_kinds"]
pub mod names_more_runtime_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/plural_override`
#[path = "../golden/names/plural_override"]
pub mod names_plural_override {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/prelude_kinds`
#[path = "../golden/names/prelude_kinds"]
pub mod names_prelude_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/raw_field`
#[path = "../golden/names/raw_field"]
pub mod names_raw_field {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/reserved_groups`
#[path = "../golden/names/reserved_groups"]
pub mod names_reserved_groups {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/runtime_kinds`
#[path = "../golden/names/runtime_kinds"]
pub mod names_runtime_kinds {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/names/same_first_label`
#[path = "../golden/names/same_first_label"]
pub mod names_same_first_label {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/builtin_types`
#[path = "../golden/schema/builtin_types"]
pub mod schema_builtin_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/collections`
#[path = "../golden/schema/collections"]
pub mod schema_collections {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/columns`
#[path = "../golden/schema/columns"]
pub mod schema_columns {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/constraints`
#[path = "../golden/schema/constraints"]
pub mod schema_constraints {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/data_enums`
#[path = "../golden/schema/data_enums"]
pub mod schema_data_enums {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/default_values`
#[path = "../golden/schema/default_values"]
pub mod schema_default_values {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/defaults`
#[path = "../golden/schema/defaults"]
pub mod schema_defaults {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/elsewhere`
#[path = "../golden/schema/elsewhere"]
pub mod schema_elsewhere {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
    #[allow(missing_docs, reason = "an input")]
    pub mod shared;
}

/// `golden/schema/every_constraint`
#[path = "../golden/schema/every_constraint"]
pub mod schema_every_constraint {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/flatten`
#[path = "../golden/schema/flatten"]
pub mod schema_flatten {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/junctors`
#[path = "../golden/schema/junctors"]
pub mod schema_junctors {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/kubernetes_types`
#[path = "../golden/schema/kubernetes_types"]
pub mod schema_kubernetes_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/max_desc_len`
#[path = "../golden/schema/max_desc_len"]
pub mod schema_max_desc_len {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/merged_constraints`
#[path = "../golden/schema/merged_constraints"]
pub mod schema_merged_constraints {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/nested_types`
#[path = "../golden/schema/nested_types"]
pub mod schema_nested_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/null_values`
#[path = "../golden/schema/null_values"]
pub mod schema_null_values {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/overrides`
#[path = "../golden/schema/overrides"]
pub mod schema_overrides {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/plain_types`
#[path = "../golden/schema/plain_types"]
pub mod schema_plain_types {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/selectable_versions`
#[path = "../golden/schema/selectable_versions"]
pub mod schema_selectable_versions {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/serde_names`
#[path = "../golden/schema/serde_names"]
pub mod schema_serde_names {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/serde_shapes`
#[path = "../golden/schema/serde_shapes"]
pub mod schema_serde_shapes {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// `golden/schema/unit_enums`
#[path = "../golden/schema/unit_enums"]
pub mod schema_unit_enums {
    #[allow(missing_docs, reason = "an input")]
    pub mod apis;
    #[path = "expected/client/mod.rs"]
    pub mod client;
}

/// The definitions of each case, as its `crds` module has them.
pub const DEFINITIONS: &[(&str, Definitions)] = &[
    (
        "applyconfiguration/collections",
        applyconfiguration_collections::client::crds::all,
    ),
    (
        "applyconfiguration/conditional",
        applyconfiguration_conditional::client::crds::all,
    ),
    (
        "applyconfiguration/conflicting",
        applyconfiguration_conflicting::client::crds::all,
    ),
    (
        "applyconfiguration/cronjob",
        applyconfiguration_cronjob::client::crds::all,
    ),
    (
        "applyconfiguration/extensions",
        applyconfiguration_extensions::client::crds::all,
    ),
    (
        "applyconfiguration/hard_cases",
        applyconfiguration_hard_cases::client::crds::all,
    ),
    (
        "applyconfiguration/hyphen_group",
        applyconfiguration_hyphen_group::client::crds::all,
    ),
    (
        "applyconfiguration/keys",
        applyconfiguration_keys::client::crds::all,
    ),
    (
        "applyconfiguration/lints",
        applyconfiguration_lints::client::crds::all,
    ),
    (
        "applyconfiguration/mixed_case",
        applyconfiguration_mixed_case::client::crds::all,
    ),
    (
        "applyconfiguration/shared",
        applyconfiguration_shared::client::crds::all,
    ),
    (
        "applyconfiguration/single",
        applyconfiguration_single::client::crds::all,
    ),
    (
        "applyconfiguration/skipped",
        applyconfiguration_skipped::client::crds::all,
    ),
    (
        "applyconfiguration/whole",
        applyconfiguration_whole::client::crds::all,
    ),
    ("client/boilerplate", client_boilerplate::client::crds::all),
    (
        "client/cluster_scoped",
        client_cluster_scoped::client::crds::all,
    ),
    ("client/conditional", client_conditional::client::crds::all),
    (
        "client/conditional_only",
        client_conditional_only::client::crds::all,
    ),
    ("client/conversion", client_conversion::client::crds::all),
    (
        "client/conversion_by_url",
        client_conversion_by_url::client::crds::all,
    ),
    ("client/docs", client_docs::client::crds::all),
    (
        "client/extension_methods",
        client_extension_methods::client::crds::all,
    ),
    (
        "client/module_layout",
        client_module_layout::client::crds::all,
    ),
    (
        "client/more_methods",
        client_more_methods::client::crds::all,
    ),
    (
        "client/multi_version",
        client_multi_version::client::crds::all,
    ),
    ("client/namespaced", client_namespaced::client::crds::all),
    ("client/no_status", client_no_status::client::crds::all),
    ("client/no_verbs", client_no_verbs::client::crds::all),
    ("client/only_verbs", client_only_verbs::client::crds::all),
    ("client/readonly", client_readonly::client::crds::all),
    ("client/scale", client_scale::client::crds::all),
    (
        "client/several_types",
        client_several_types::client::crds::all,
    ),
    ("client/single_file", client_single_file::client::crds::all),
    ("client/skip_crd", client_skip_crd::client::crds::all),
    ("client/skip_verbs", client_skip_verbs::client::crds::all),
    (
        "client/skip_version",
        client_skip_version::client::crds::all,
    ),
    ("client/status", client_status::client::crds::all),
    ("kube/constants", kube_constants::client::crds::all),
    ("kube/defaults", kube_defaults::client::crds::all),
    ("kube/derive", kube_derive::client::crds::all),
    ("kube/functions", kube_functions::client::crds::all),
    ("kube/idioms", kube_idioms::client::crds::all),
    ("kube/macros", kube_macros::client::crds::all),
    ("kube/roots", kube_roots::client::crds::all),
    ("kube/schemars", kube_schemars::client::crds::all),
    (
        "names/conflicting_names",
        names_conflicting_names::client::crds::all,
    ),
    ("names/core_group", names_core_group::client::crds::all),
    ("names/digit_group", names_digit_group::client::crds::all),
    ("names/hyphen_group", names_hyphen_group::client::crds::all),
    (
        "names/irregular_plurals",
        names_irregular_plurals::client::crds::all,
    ),
    (
        "names/keyword_kinds",
        names_keyword_kinds::client::crds::all,
    ),
    ("names/long_names", names_long_names::client::crds::all),
    (
        "names/more_runtime_kinds",
        names_more_runtime_kinds::client::crds::all,
    ),
    (
        "names/plural_override",
        names_plural_override::client::crds::all,
    ),
    (
        "names/prelude_kinds",
        names_prelude_kinds::client::crds::all,
    ),
    ("names/raw_field", names_raw_field::client::crds::all),
    (
        "names/reserved_groups",
        names_reserved_groups::client::crds::all,
    ),
    (
        "names/runtime_kinds",
        names_runtime_kinds::client::crds::all,
    ),
    (
        "names/same_first_label",
        names_same_first_label::client::crds::all,
    ),
    (
        "schema/builtin_types",
        schema_builtin_types::client::crds::all,
    ),
    ("schema/collections", schema_collections::client::crds::all),
    ("schema/columns", schema_columns::client::crds::all),
    ("schema/constraints", schema_constraints::client::crds::all),
    ("schema/data_enums", schema_data_enums::client::crds::all),
    (
        "schema/default_values",
        schema_default_values::client::crds::all,
    ),
    ("schema/defaults", schema_defaults::client::crds::all),
    ("schema/elsewhere", schema_elsewhere::client::crds::all),
    (
        "schema/every_constraint",
        schema_every_constraint::client::crds::all,
    ),
    ("schema/flatten", schema_flatten::client::crds::all),
    ("schema/junctors", schema_junctors::client::crds::all),
    (
        "schema/kubernetes_types",
        schema_kubernetes_types::client::crds::all,
    ),
    (
        "schema/max_desc_len",
        schema_max_desc_len::client::crds::all,
    ),
    (
        "schema/merged_constraints",
        schema_merged_constraints::client::crds::all,
    ),
    (
        "schema/nested_types",
        schema_nested_types::client::crds::all,
    ),
    ("schema/null_values", schema_null_values::client::crds::all),
    ("schema/overrides", schema_overrides::client::crds::all),
    ("schema/plain_types", schema_plain_types::client::crds::all),
    (
        "schema/selectable_versions",
        schema_selectable_versions::client::crds::all,
    ),
    ("schema/serde_names", schema_serde_names::client::crds::all),
    (
        "schema/serde_shapes",
        schema_serde_shapes::client::crds::all,
    ),
    ("schema/unit_enums", schema_unit_enums::client::crds::all),
];

/// The kinds of each case, and how their types read an object and write it again.
#[allow(deprecated, reason = "some types are")]
pub const KINDS: &[(&str, &str, &str, Rewrite)] = &[
    (
        "applyconfiguration/collections",
        "collections.example.com/v1",
        "Collected",
        rewrite::<applyconfiguration_collections::apis::Collected>,
    ),
    (
        "applyconfiguration/conditional",
        "always.example.com/v1",
        "Always",
        rewrite::<applyconfiguration_conditional::apis::always::v1::Always>,
    ),
    #[cfg(feature = "extra")]
    (
        "applyconfiguration/conditional",
        "always.example.com/v1",
        "Sometimes",
        rewrite::<applyconfiguration_conditional::apis::always::v1::Sometimes>,
    ),
    #[cfg(feature = "extra")]
    (
        "applyconfiguration/conditional",
        "extra.example.com/v1",
        "Unix",
        rewrite::<applyconfiguration_conditional::apis::extra::v1::Unix>,
    ),
    (
        "applyconfiguration/conflicting",
        "conflicting.test.example.com/v1",
        "TestType",
        rewrite::<applyconfiguration_conflicting::apis::v1::TestType>,
    ),
    (
        "applyconfiguration/cronjob",
        "testdata.example.com/v1",
        "ClusterScopedResource",
        rewrite::<applyconfiguration_cronjob::apis::v1::ClusterScopedResource>,
    ),
    (
        "applyconfiguration/cronjob",
        "testdata.example.com/v1",
        "CronJob",
        rewrite::<applyconfiguration_cronjob::apis::v1::CronJob>,
    ),
    (
        "applyconfiguration/cronjob",
        "testdata.example.com/v1",
        "NoMarkerJob",
        rewrite::<applyconfiguration_cronjob::apis::v1::NoMarkerJob>,
    ),
    (
        "applyconfiguration/extensions",
        "extensions.test.example.com/v1",
        "TestType",
        rewrite::<applyconfiguration_extensions::apis::v1::TestType>,
    ),
    (
        "applyconfiguration/hard_cases",
        "edge.example.com/v1",
        "Gateway",
        rewrite::<applyconfiguration_hard_cases::apis::edge::v1::Gateway>,
    ),
    (
        "applyconfiguration/hyphen_group",
        "example-group.hyphens.example.com/v1",
        "ClusterTestType",
        rewrite::<applyconfiguration_hyphen_group::apis::v1::ClusterTestType>,
    ),
    (
        "applyconfiguration/hyphen_group",
        "example-group.hyphens.example.com/v1",
        "TestType",
        rewrite::<applyconfiguration_hyphen_group::apis::v1::TestType>,
    ),
    (
        "applyconfiguration/keys",
        "keys.example.com/v1",
        "Keyed",
        rewrite::<applyconfiguration_keys::apis::Keyed>,
    ),
    (
        "applyconfiguration/lints",
        "lints.example.com/v1",
        "Linted",
        rewrite::<applyconfiguration_lints::apis::Linted>,
    ),
    (
        "applyconfiguration/mixed_case",
        "example.crd.example.com/v1",
        "ClusterTestType",
        rewrite::<applyconfiguration_mixed_case::apis::MixedCase::v1::ClusterTestType>,
    ),
    (
        "applyconfiguration/mixed_case",
        "example.crd.example.com/v1",
        "TestType",
        rewrite::<applyconfiguration_mixed_case::apis::MixedCase::v1::TestType>,
    ),
    (
        "applyconfiguration/shared",
        "jobs.example.com/v1",
        "Job",
        rewrite::<applyconfiguration_shared::apis::v1::Job>,
    ),
    (
        "applyconfiguration/shared",
        "jobs.example.com/v1alpha1",
        "Job",
        rewrite::<applyconfiguration_shared::apis::v1alpha1::Job>,
    ),
    (
        "applyconfiguration/shared",
        "programs.example.com/v1",
        "Program",
        rewrite::<applyconfiguration_shared::apis::v1::Program>,
    ),
    (
        "applyconfiguration/single",
        "example.crd.example.com/v1",
        "ClusterTestType",
        rewrite::<applyconfiguration_single::apis::ClusterTestType>,
    ),
    (
        "applyconfiguration/single",
        "example.crd.example.com/v1",
        "TestType",
        rewrite::<applyconfiguration_single::apis::TestType>,
    ),
    (
        "applyconfiguration/skipped",
        "skipped.example.com/v1",
        "Applied",
        rewrite::<applyconfiguration_skipped::apis::v1::Applied>,
    ),
    (
        "applyconfiguration/skipped",
        "skipped.example.com/v1",
        "Clientless",
        rewrite::<applyconfiguration_skipped::apis::v1::Clientless>,
    ),
    (
        "applyconfiguration/skipped",
        "skipped.example.com/v1",
        "Read",
        rewrite::<applyconfiguration_skipped::apis::v1::Read>,
    ),
    (
        "applyconfiguration/skipped",
        "skipped.example.com/v1",
        "Silent",
        rewrite::<applyconfiguration_skipped::apis::v1::Silent>,
    ),
    (
        "applyconfiguration/skipped",
        "skipped.example.com/v1",
        "Stateless",
        rewrite::<applyconfiguration_skipped::apis::v1::Stateless>,
    ),
    (
        "applyconfiguration/whole",
        "whole.example.com/v1",
        "Whole",
        rewrite::<applyconfiguration_whole::apis::Whole>,
    ),
    (
        "client/boilerplate",
        "licensed.example.com/v1",
        "Book",
        rewrite::<client_boilerplate::apis::v1::Book>,
    ),
    (
        "client/cluster_scoped",
        "world.example.com/v1",
        "Region",
        rewrite::<client_cluster_scoped::apis::v1::Region>,
    ),
    (
        "client/cluster_scoped",
        "world.example.com/v1",
        "Zone",
        rewrite::<client_cluster_scoped::apis::v1::Zone>,
    ),
    (
        "client/conditional",
        "always.example.com/v1",
        "Always",
        rewrite::<client_conditional::apis::v1::Always>,
    ),
    #[cfg(feature = "extra")]
    (
        "client/conditional",
        "always.example.com/v1",
        "Sometimes",
        rewrite::<client_conditional::apis::v1::Sometimes>,
    ),
    #[cfg(any(feature = "extra", windows))]
    #[cfg(all(unix, not(windows)))]
    (
        "client/conditional",
        "extra.example.com/v1",
        "Unix",
        rewrite::<client_conditional::apis::extra::v1::Unix>,
    ),
    #[cfg(feature = "extra")]
    (
        "client/conditional_only",
        "only.example.com/v1",
        "Only",
        rewrite::<client_conditional_only::apis::v1::Only>,
    ),
    (
        "client/conversion",
        "conversion.example.com/v2",
        "Unit",
        rewrite::<client_conversion::apis::v2::Unit>,
    ),
    (
        "client/conversion",
        "conversion.example.com/v1",
        "Unit",
        rewrite::<client_conversion::apis::v1::Unit>,
    ),
    (
        "client/conversion",
        "conversion.example.com/v1beta1",
        "Unit",
        rewrite::<client_conversion::apis::v1beta1::Unit>,
    ),
    (
        "client/conversion_by_url",
        "outside.example.com/v1",
        "Unit",
        rewrite::<client_conversion_by_url::apis::v1::Unit>,
    ),
    (
        "client/conversion_by_url",
        "outside.example.com/v1beta1",
        "Unit",
        rewrite::<client_conversion_by_url::apis::v1beta1::Unit>,
    ),
    (
        "client/docs",
        "docs.example.com/v1",
        "Leaflet",
        rewrite::<client_docs::apis::v1::Leaflet>,
    ),
    (
        "client/docs",
        "docs.example.com/v1",
        "Page",
        rewrite::<client_docs::apis::v1::Page>,
    ),
    (
        "client/extension_methods",
        "robots.example.com/v1",
        "Robot",
        rewrite::<client_extension_methods::apis::v1::Robot>,
    ),
    (
        "client/module_layout",
        "beside.example.com/v2",
        "Beside",
        rewrite::<client_module_layout::apis::beside::v2::Beside>,
    ),
    (
        "client/module_layout",
        "inline.example.com/v1",
        "Foldered",
        rewrite::<client_module_layout::apis::inline::folder::v1::Foldered>,
    ),
    (
        "client/module_layout",
        "inline.example.com/v1",
        "Inline",
        rewrite::<client_module_layout::apis::inline::v1::Inline>,
    ),
    (
        "client/module_layout",
        "mixed.example.com/v1",
        "Mixed",
        rewrite::<client_module_layout::apis::MixedCase::v1::Mixed>,
    ),
    (
        "client/module_layout",
        "moved.example.com/v1beta1",
        "Moved",
        rewrite::<client_module_layout::apis::moved::v1beta1::Moved>,
    ),
    (
        "client/module_layout",
        "private.example.com/v2",
        "Hidden",
        rewrite::<client_module_layout::apis::v2::Hidden>,
    ),
    (
        "client/module_layout",
        "private.example.com/v1",
        "Hidden",
        rewrite::<client_module_layout::apis::Shown>,
    ),
    (
        "client/more_methods",
        "robots.example.com/v1",
        "Robot",
        rewrite::<client_more_methods::apis::v1::Robot>,
    ),
    (
        "client/multi_version",
        "train.example.com/v1",
        "Train",
        rewrite::<client_multi_version::apis::v1::Train>,
    ),
    (
        "client/multi_version",
        "train.example.com/v1beta1",
        "Train",
        rewrite::<client_multi_version::apis::v1beta1::OldTrain>,
    ),
    (
        "client/multi_version",
        "train.example.com/v1alpha1",
        "Train",
        rewrite::<client_multi_version::apis::v1alpha1::Train>,
    ),
    (
        "client/namespaced",
        "furniture.example.com/v1",
        "Chair",
        rewrite::<client_namespaced::apis::v1::Chair>,
    ),
    (
        "client/no_status",
        "parts.example.com/v1",
        "Bolt",
        rewrite::<client_no_status::apis::v1::Bolt>,
    ),
    (
        "client/no_verbs",
        "policy.example.com/v1",
        "Eviction",
        rewrite::<client_no_verbs::apis::v1::Eviction>,
    ),
    (
        "client/only_verbs",
        "orders.example.com/v1",
        "OrderReview",
        rewrite::<client_only_verbs::apis::v1::OrderReview>,
    ),
    (
        "client/only_verbs",
        "orders.example.com/v1",
        "Order",
        rewrite::<client_only_verbs::apis::v1::Order>,
    ),
    (
        "client/readonly",
        "measures.example.com/v1",
        "Reading",
        rewrite::<client_readonly::apis::v1::Reading>,
    ),
    (
        "client/readonly",
        "measures.example.com/v1",
        "Sample",
        rewrite::<client_readonly::apis::v1::Sample>,
    ),
    (
        "client/scale",
        "fleet.example.com/v1",
        "Fleet",
        rewrite::<client_scale::apis::v1::Fleet>,
    ),
    (
        "client/several_types",
        "lines.example.com/v1",
        "Station",
        rewrite::<client_several_types::apis::v1::Station>,
    ),
    (
        "client/several_types",
        "lines.example.com/v1",
        "Train",
        rewrite::<client_several_types::apis::v1::Train>,
    ),
    (
        "client/several_types",
        "lines.example.com/v1beta1",
        "Train",
        rewrite::<client_several_types::apis::v1beta1::Train>,
    ),
    (
        "client/single_file",
        "single.example.com/v1",
        "Duet",
        rewrite::<client_single_file::apis::TwoOfThem>,
    ),
    (
        "client/single_file",
        "single.example.com/v1",
        "Solo",
        rewrite::<client_single_file::apis::Solo>,
    ),
    (
        "client/skip_client",
        "config.example.com/v1",
        "Settings",
        rewrite::<client_skip_client::apis::v1::Settings>,
    ),
    (
        "client/skip_crd",
        "apps.example.com/v1",
        "Unseen",
        rewrite::<client_skip_crd::apis::v1::Unseen>,
    ),
    (
        "client/skip_verbs",
        "archive.example.com/v1",
        "Record",
        rewrite::<client_skip_verbs::apis::v1::Record>,
    ),
    (
        "client/skip_version",
        "train.example.com/v1",
        "Train",
        rewrite::<client_skip_version::apis::v1::Train>,
    ),
    (
        "client/status",
        "works.example.com/v1beta1",
        "Bridge",
        rewrite::<client_status::apis::v1beta1::Bridge>,
    ),
    (
        "client/status",
        "works.example.com/v1beta1",
        "Pier",
        rewrite::<client_status::apis::v1beta1::Pier>,
    ),
    (
        "config/rbac_inferred",
        "example.com/v1",
        "Pool",
        rewrite::<config_rbac_inferred::apis::v1::Pool>,
    ),
    (
        "config/rbac_inferred",
        "example.com/v1",
        "Task",
        rewrite::<config_rbac_inferred::apis::v1::Task>,
    ),
    (
        "config/webhook_keys",
        "example.com/v1",
        "GPUTask",
        rewrite::<config_webhook_keys::apis::v1::Task>,
    ),
    (
        "config/webhook_kinds",
        "example.com/v1",
        "Task",
        rewrite::<config_webhook_kinds::apis::Task>,
    ),
    (
        "controller_gen/cronjob",
        "testdata.kubebuilder.io/v1",
        "CronJob",
        rewrite::<controller_gen_cronjob::apis::v1::CronJob>,
    ),
    (
        "controller_gen/cronjob",
        "testdata.kubebuilder.io/v1beta2",
        "CronJob",
        rewrite::<controller_gen_cronjob::apis::v1beta2::CronJob>,
    ),
    (
        "controller_gen/cronjob",
        "testdata.kubebuilder.io/v1beta1",
        "CronJob",
        rewrite::<controller_gen_cronjob::apis::v1beta1::CronJob>,
    ),
    (
        "controller_gen/enum",
        "testdata.kubebuilder.io/v1",
        "Enum",
        rewrite::<controller_gen_enum::apis::v1::Enum>,
    ),
    (
        "controller_gen/external_docs",
        "testdata.kubebuilder.io/v1",
        "ExternalDoc",
        rewrite::<controller_gen_external_docs::apis::v1::ExternalDoc>,
    ),
    (
        "controller_gen/gen",
        "bar.example.com/foo",
        "Foo",
        rewrite::<controller_gen_gen::apis::foo::Foo>,
    ),
    (
        "controller_gen/gen_max_desc_len",
        "bar.example.com/foo",
        "Foo",
        rewrite::<controller_gen_gen_max_desc_len::apis::foo::Foo>,
    ),
    (
        "controller_gen/immutable",
        "testdata.kubebuilder.io/v1",
        "ImmutableType",
        rewrite::<controller_gen_immutable::apis::v1::ImmutableType>,
    ),
    (
        "controller_gen/job",
        "testdata.kubebuilder.io/v1beta1",
        "Job",
        rewrite::<controller_gen_job::apis::v1beta1::Job>,
    ),
    (
        "controller_gen/merging",
        "merging.example.com/v1",
        "Merging",
        rewrite::<controller_gen_merging::apis::v1::Merging>,
    ),
    (
        "controller_gen/multiple_versions",
        "testdata.kubebuilder.io/v1beta2",
        "VersionedResource",
        rewrite::<controller_gen_multiple_versions::apis::v1beta2::VersionedResource>,
    ),
    (
        "controller_gen/multiple_versions",
        "testdata.kubebuilder.io/v1beta1",
        "VersionedResource",
        rewrite::<controller_gen_multiple_versions::apis::v1beta1::VersionedResource>,
    ),
    (
        "controller_gen/oneof",
        "testdata.kubebuilder.io/v1beta1",
        "Oneof",
        rewrite::<controller_gen_oneof::apis::v1beta1::Oneof>,
    ),
    (
        "controller_gen/plural",
        "plural.example.com/v1",
        "TestQuota",
        rewrite::<controller_gen_plural::apis::v1::TestQuota>,
    ),
    (
        "controller_gen/rbac",
        "testdata.kubebuilder.io/v1",
        "CronJob",
        rewrite::<controller_gen_rbac::apis::v1::CronJob>,
    ),
    (
        "controller_gen/typealias",
        "testdata.kubebuilder.io/v1",
        "IndirectAlias",
        rewrite::<controller_gen_typealias::apis::v1::IndirectAlias>,
    ),
    (
        "controller_gen/webhook",
        "testdata.kubebuilder.io/v1",
        "CronJob",
        rewrite::<controller_gen_webhook::apis::v1::CronJob>,
    ),
    (
        "controller_gen/webhook",
        "testdata.kubebuilder.io/v1alpha1",
        "CronJob",
        rewrite::<controller_gen_webhook::apis::v1alpha1::CronJob>,
    ),
    (
        "controller_gen/zoo",
        "bar.example.com/zoo",
        "Zoo",
        rewrite::<controller_gen_zoo::apis::zoo::Zoo>,
    ),
    (
        "kube/constants",
        "constants.example.com/v1",
        "Grid",
        rewrite::<kube_constants::apis::v1::Grid>,
    ),
    (
        "kube/defaults",
        "defaults.example.com/v1",
        "Kiln",
        rewrite::<kube_defaults::apis::v1::Kiln>,
    ),
    (
        "kube/derive",
        "print.example.com/v1",
        "Archive",
        rewrite::<kube_derive::apis::v1::Archive>,
    ),
    (
        "kube/derive",
        "print.example.com/v1",
        "Press",
        rewrite::<kube_derive::apis::v1::Press>,
    ),
    (
        "kube/functions",
        "functions.example.com/v1",
        "Press",
        rewrite::<kube_functions::apis::v1::Press>,
    ),
    (
        "kube/idioms",
        "idioms.example.com/v1",
        "Forge",
        rewrite::<kube_idioms::apis::v1::Forge>,
    ),
    (
        "kube/roots",
        "roots.example.com/v1",
        "Box",
        rewrite::<kube_roots::apis::new::Box>,
    ),
    (
        "kube/roots",
        "roots.example.com/v1beta1",
        "Box",
        rewrite::<kube_roots::apis::old::Box>,
    ),
    (
        "kube/roots",
        "roots.example.com/v1",
        "HTTPRoute",
        rewrite::<kube_roots::apis::mixed::HttpRoute>,
    ),
    (
        "kube/roots",
        "roots.example.com/v1",
        "Policy",
        rewrite::<kube_roots::apis::mixed::Policy>,
    ),
    (
        "kube/roots",
        "roots.example.com/v1",
        "Switch",
        rewrite::<kube_roots::apis::mixed::Switch>,
    ),
    (
        "kube/schemars",
        "schemars.example.com/v1",
        "Form",
        rewrite::<kube_schemars::apis::v1::Form>,
    ),
    (
        "names/conflicting_names",
        "blue.example.com/v1",
        "Paint",
        rewrite::<names_conflicting_names::apis::blue::Paint>,
    ),
    (
        "names/conflicting_names",
        "red.example.com/v1",
        "Paint",
        rewrite::<names_conflicting_names::apis::red::v1::Paint>,
    ),
    (
        "names/conflicting_names",
        "red.example.com/v2alpha1",
        "Paint",
        rewrite::<names_conflicting_names::apis::red::v2alpha1::Paint>,
    ),
    (
        "names/digit_group",
        "3scale.example.com/alpha-1",
        "Proxy",
        rewrite::<names_digit_group::apis::Proxy>,
    ),
    (
        "names/hyphen_group",
        "hyphen-group.example.com/v1",
        "Dash",
        rewrite::<names_hyphen_group::apis::v1::Dash>,
    ),
    (
        "names/irregular_plurals",
        "plurals.example.com/v1",
        "Gateway",
        rewrite::<names_irregular_plurals::apis::v1::Gateway>,
    ),
    (
        "names/irregular_plurals",
        "plurals.example.com/v1",
        "HTTPLeaf",
        rewrite::<names_irregular_plurals::apis::v1::HTTPLeaf>,
    ),
    (
        "names/irregular_plurals",
        "plurals.example.com/v1",
        "I",
        rewrite::<names_irregular_plurals::apis::v1::I>,
    ),
    (
        "names/irregular_plurals",
        "plurals.example.com/v1",
        "Ingress",
        rewrite::<names_irregular_plurals::apis::v1::Ingress>,
    ),
    (
        "names/irregular_plurals",
        "plurals.example.com/v1",
        "NetworkPolicy",
        rewrite::<names_irregular_plurals::apis::v1::NetworkPolicy>,
    ),
    (
        "names/keyword_kinds",
        "keywords.example.com/v1",
        "Import",
        rewrite::<names_keyword_kinds::apis::v1::Import>,
    ),
    (
        "names/keyword_kinds",
        "keywords.example.com/v1",
        "Match",
        rewrite::<names_keyword_kinds::apis::v1::Match>,
    ),
    (
        "names/keyword_kinds",
        "keywords.example.com/v1",
        "Mod",
        rewrite::<names_keyword_kinds::apis::v1::Mod>,
    ),
    (
        "names/keyword_kinds",
        "keywords.example.com/v1",
        "Type",
        rewrite::<names_keyword_kinds::apis::v1::Type>,
    ),
    (
        "names/keyword_kinds",
        "type.example.com/v1",
        "Self",
        rewrite::<names_keyword_kinds::apis::v1::Itself>,
    ),
    (
        "names/long_names",
        "infrastructureandplatform.example.com/v1beta1",
        "ClusterInferencePoolSetty",
        rewrite::<names_long_names::apis::v1beta1::ClusterInferencePoolSetty>,
    ),
    (
        "names/long_names",
        "infrastructureandplatformandnetworksandpolicy.example.com/v1beta1",
        "HorizontallyScalableMachineLearningWorkloadss",
        rewrite::<names_long_names::apis::v1beta1::HorizontallyScalableMachineLearningWorkloadss>,
    ),
    (
        "names/more_runtime_kinds",
        "runtime.example.com/v1",
        "AnyObject",
        rewrite::<names_more_runtime_kinds::apis::v1::AnyObject>,
    ),
    (
        "names/more_runtime_kinds",
        "runtime.example.com/v1",
        "Indexer",
        rewrite::<names_more_runtime_kinds::apis::v1::Indexer>,
    ),
    (
        "names/more_runtime_kinds",
        "runtime.example.com/v1",
        "Lister",
        rewrite::<names_more_runtime_kinds::apis::v1::Lister>,
    ),
    (
        "names/more_runtime_kinds",
        "runtime.example.com/v1",
        "ListParams",
        rewrite::<names_more_runtime_kinds::apis::v1::ListParams>,
    ),
    (
        "names/more_runtime_kinds",
        "runtime.example.com/v1",
        "Scale",
        rewrite::<names_more_runtime_kinds::apis::v1::Scale>,
    ),
    (
        "names/more_runtime_kinds",
        "runtime.example.com/v1",
        "TypeMeta",
        rewrite::<names_more_runtime_kinds::apis::v1::TypeMeta>,
    ),
    (
        "names/plural_override",
        "net.example.com/v1",
        "Endpoints",
        rewrite::<names_plural_override::apis::v1::Endpoints>,
    ),
    (
        "names/prelude_kinds",
        "prelude.example.com/v1",
        "Arc",
        rewrite::<names_prelude_kinds::apis::v1::Arc>,
    ),
    (
        "names/prelude_kinds",
        "prelude.example.com/v1",
        "Box",
        rewrite::<names_prelude_kinds::apis::v1::Box>,
    ),
    (
        "names/prelude_kinds",
        "prelude.example.com/v1",
        "Option",
        rewrite::<names_prelude_kinds::apis::v1::Option>,
    ),
    (
        "names/prelude_kinds",
        "prelude.example.com/v1",
        "Result",
        rewrite::<names_prelude_kinds::apis::v1::Result>,
    ),
    (
        "names/prelude_kinds",
        "prelude.example.com/v1",
        "String",
        rewrite::<names_prelude_kinds::apis::v1::String>,
    ),
    (
        "names/prelude_kinds",
        "prelude.example.com/v1",
        "Vec",
        rewrite::<names_prelude_kinds::apis::v1::Vec>,
    ),
    (
        "names/raw_field",
        "raw.example.com/v1",
        "Parcel",
        rewrite::<names_raw_field::apis::v1::Parcel>,
    ),
    (
        "names/raw_field",
        "raw.example.com/v1",
        "Stamp",
        rewrite::<names_raw_field::apis::r#type::v1::Stamp>,
    ),
    (
        "names/reserved_groups",
        "clientset.example.com/v1",
        "Three",
        rewrite::<names_reserved_groups::apis::v1::Three>,
    ),
    (
        "names/reserved_groups",
        "core.example.com/v1",
        "Five",
        rewrite::<names_reserved_groups::apis::v1::Five>,
    ),
    (
        "names/reserved_groups",
        "crate.example.com/v1",
        "Four",
        rewrite::<names_reserved_groups::apis::v1::Four>,
    ),
    (
        "names/reserved_groups",
        "genclient.example.com/v1",
        "One",
        rewrite::<names_reserved_groups::apis::v1::One>,
    ),
    (
        "names/reserved_groups",
        "std.example.com/v1",
        "Two",
        rewrite::<names_reserved_groups::apis::v1::Two>,
    ),
    (
        "names/runtime_kinds",
        "runtime.example.com/v1",
        "Client",
        rewrite::<names_runtime_kinds::apis::v1::Client>,
    ),
    (
        "names/runtime_kinds",
        "runtime.example.com/v1",
        "Clientset",
        rewrite::<names_runtime_kinds::apis::v1::Clientset>,
    ),
    (
        "names/runtime_kinds",
        "runtime.example.com/v1",
        "Kind",
        rewrite::<names_runtime_kinds::apis::v1::Kind>,
    ),
    (
        "names/runtime_kinds",
        "runtime.example.com/v1",
        "Namespace",
        rewrite::<names_runtime_kinds::apis::v1::Namespace>,
    ),
    (
        "names/runtime_kinds",
        "runtime.example.com/v1",
        "Patch",
        rewrite::<names_runtime_kinds::apis::v1::Patch>,
    ),
    (
        "names/runtime_kinds",
        "runtime.example.com/v1",
        "Status",
        rewrite::<names_runtime_kinds::apis::v1::Status>,
    ),
    (
        "names/same_first_label",
        "example.com/v1",
        "TestType",
        rewrite::<names_same_first_label::apis::first::v1::TestType>,
    ),
    (
        "names/same_first_label",
        "example.test.dev/v1",
        "TestType",
        rewrite::<names_same_first_label::apis::second::v1::TestType>,
    ),
    (
        "schema/builtin_types",
        "builtin.example.com/v1",
        "Service",
        rewrite::<schema_builtin_types::apis::v1::Service>,
    ),
    (
        "schema/builtin_types",
        "builtin.example.com/v1",
        "Workload",
        rewrite::<schema_builtin_types::apis::v1::Workload>,
    ),
    (
        "schema/collections",
        "collections.example.com/v1",
        "Shelf",
        rewrite::<schema_collections::apis::v1::Shelf>,
    ),
    (
        "schema/columns",
        "columns.example.com/v1",
        "TableRow",
        rewrite::<schema_columns::apis::v1::TableRow>,
    ),
    (
        "schema/constraints",
        "limits.example.com/v1",
        "Quota",
        rewrite::<schema_constraints::apis::v1::Quota>,
    ),
    (
        "schema/data_enums",
        "data.example.com/v1",
        "Choice",
        rewrite::<schema_data_enums::apis::v1::Choice>,
    ),
    (
        "schema/default_values",
        "values.example.com/v1",
        "Deploy",
        rewrite::<schema_default_values::apis::v1::Deploy>,
    ),
    (
        "schema/defaults",
        "defaults.example.com/v1",
        "Job",
        rewrite::<schema_defaults::apis::v1::Job>,
    ),
    (
        "schema/elsewhere",
        "elsewhere.example.com/v1",
        "Machine",
        rewrite::<schema_elsewhere::apis::v1::Machine>,
    ),
    (
        "schema/every_constraint",
        "constraints.example.com/v1",
        "Sample",
        rewrite::<schema_every_constraint::apis::v1::Sample>,
    ),
    (
        "schema/flatten",
        "flat.example.com/v1",
        "Flat",
        rewrite::<schema_flatten::apis::v1::Flat>,
    ),
    (
        "schema/junctors",
        "junctors.example.com/v1",
        "Gate",
        rewrite::<schema_junctors::apis::v1::Gate>,
    ),
    (
        "schema/kubernetes_types",
        "kube.example.com/v1",
        "Backup",
        rewrite::<schema_kubernetes_types::apis::v1::Backup>,
    ),
    (
        "schema/max_desc_len",
        "short.example.com/v1",
        "Memo",
        rewrite::<schema_max_desc_len::apis::v1::Memo>,
    ),
    (
        "schema/max_desc_len",
        "short.example.com/v1",
        "Note",
        rewrite::<schema_max_desc_len::apis::v1::Note>,
    ),
    (
        "schema/merged_constraints",
        "merged.example.com/v1",
        "Widget",
        rewrite::<schema_merged_constraints::apis::v1::Widget>,
    ),
    (
        "schema/nested_types",
        "nested.example.com/v1",
        "House",
        rewrite::<schema_nested_types::apis::v1::House>,
    ),
    (
        "schema/null_values",
        "nulls.example.com/v1",
        "Widget",
        rewrite::<schema_null_values::apis::v1::Widget>,
    ),
    (
        "schema/overrides",
        "overrides.example.com/v1",
        "Crate",
        rewrite::<schema_overrides::apis::v1::Crate>,
    ),
    (
        "schema/plain_types",
        "plain.example.com/v1",
        "Plain",
        rewrite::<schema_plain_types::apis::v1::Plain>,
    ),
    (
        "schema/selectable_versions",
        "selectable.example.com/v1",
        "Task",
        rewrite::<schema_selectable_versions::apis::v1::Task>,
    ),
    (
        "schema/selectable_versions",
        "selectable.example.com/v1beta1",
        "Task",
        rewrite::<schema_selectable_versions::apis::v1beta1::Task>,
    ),
    (
        "schema/serde_names",
        "names.example.com/v1",
        "Label",
        rewrite::<schema_serde_names::apis::v1::Label>,
    ),
    (
        "schema/serde_shapes",
        "shapes.example.com/v1",
        "Shape",
        rewrite::<schema_serde_shapes::apis::v1::Shape>,
    ),
    (
        "schema/unit_enums",
        "enums.example.com/v1",
        "Lamp",
        rewrite::<schema_unit_enums::apis::v1::Lamp>,
    ),
];
