//! Spec with a field for each feature of schemas.

use std::collections::BTreeMap;

use genclient::prelude::*;
use k8s_openapi::ByteString;
use k8s_openapi::api::batch::v1::JobTemplateSpec;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;

use super::{objects::*, values::*};

/// Length of the second array.
pub const LENGTH: usize = 3;

/// Desired state of a cron job.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
#[crd(validation(
    rule = "has(oldSelf.forbiddenInt) || !has(self.forbiddenInt)",
    message = "forbiddenInt is not allowed",
    reason = "FieldValueForbidden",
    field_path = ".forbiddenInt"
))]
pub struct CronJobSpec {
    /// Schedule in cron format: `*/5 * * * *`.
    pub schedule: String,
    /// Seconds after the scheduled time until which a job may start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starting_deadline_seconds: Option<i64>,
    /// Treatment of a run while the previous job is active:
    /// - `Allow`: both jobs run,
    /// - `Forbid`: the new run is skipped,
    /// - `Replace`: the previous job is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency_policy: Option<ConcurrencyPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k8s_concurrency_policy: Option<K8sConcurrencyPolicy>,
    /// Suspends later runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// Internal to the program, and not serialized.
    #[serde(skip)]
    pub internal_data: String,
    /// Boolean that is serialized as a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_really_suspend: Option<TotallyABool>,
    pub binary_name: ByteString,
    /// Required and nullable.
    #[crd(required)]
    pub can_be_null: Option<String>,
    /// Template of the jobs.
    pub job_template: JobTemplateSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successful_jobs_history_limit: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_jobs_history_limit: Option<i32>,

    // Maps and their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub byte_slice_data: BTreeMap<String, ByteString>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub string_slice_data: BTreeMap<String, Vec<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ptr_data: BTreeMap<String, Option<String>>,

    /// The field constrains the length.
    #[crd(min_length = 4)]
    pub two_of_a_kind_part0: String,
    /// The type constrains the length.
    pub two_of_a_kind_part1: LongerString,

    // Defaults, which make a field optional.
    #[crd(
        default = "forty-two",
        example = "forty-two",
        title = "DefaultedString"
    )]
    pub defaulted_string: String,
    #[crd(default = ["a", "b"], example = ["a", "b"], title = "DefaultedSlice")]
    pub defaulted_slice: Vec<String>,
    #[crd(
        default = [{ "nested": { "foo": "baz", "bar": true } }, { "nested": { "foo": "qux", "bar": false } }],
        example = [{ "nested": { "foo": "baz", "bar": true } }, { "nested": { "foo": "qux", "bar": false } }],
        title = "124"
    )]
    pub defaulted_object: Vec<RootObject>,
    #[crd(default = [], title = "{}")]
    pub defaulted_empty_slice: Vec<String>,
    #[crd(default = {})]
    pub defaulted_empty_map: BTreeMap<String, String>,
    #[crd(default = {})]
    pub defaulted_empty_object: EmpiableObject,
    #[crd(default = "kubebuilder-default")]
    pub double_defaulted_string: String,
    #[crd(default = "forty-two")]
    pub kubernetes_defaulted_string: String,
    #[crd(default = ["a", "b"])]
    pub kubernetes_defaulted_slice: Vec<String>,
    #[crd(default = [{ "nested": { "foo": "baz", "bar": true } }, { "nested": { "foo": "qux", "bar": false } }])]
    pub kubernetes_defaulted_object: Vec<RootObject>,
    #[crd(default = [])]
    pub kubernetes_defaulted_empty_slice: Vec<String>,
    #[crd(default = {})]
    pub kubernetes_defaulted_empty_map: BTreeMap<String, String>,
    #[crd(default = {})]
    pub kubernetes_defaulted_empty_object: EmpiableObject,
    #[serde(default = "default_ref_value")]
    pub kubernetes_defaulted_ref: String,

    #[crd(pattern = r"^$|^((https):\/\/?)[^\s()<>]+(?:\([\w\d]+\)|([^[:punct:]\s]|\/?))$")]
    pub pattern_object: String,

    // Objects with unknown fields.
    #[crd(embedded_resource)]
    pub embedded_resource: RawExtension,
    #[serde(rename = "unprunedJSON")]
    #[crd(preserve_unknown_fields)]
    pub unpruned_json: NestedObject,
    #[crd(preserve_unknown_fields, embedded_resource)]
    pub unpruned_embedded_resource: RawExtension,
    /// The type states that unknown fields are preserved.
    #[serde(rename = "unprunedFomType")]
    pub unpruned_from_type: Preserved,
    /// The type and the field state that unknown fields are preserved.
    #[serde(rename = "unprunedFomTypeAndField")]
    #[crd(preserve_unknown_fields)]
    pub unpruned_from_type_and_field: Preserved,

    // Topology for server-side apply.
    #[crd(list_type = "map", list_map_keys = ["name", "secondary"])]
    pub associative_list: Vec<AssociativeType>,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    pub k8s_associative_list: Vec<AssociativeType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(list_type = "set")]
    pub k8s_set_list: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(list_type = "atomic")]
    pub k8s_atomic_list: Vec<String>,
    #[serde(rename = "nestedassociativeList")]
    pub nested_associative_list: NestedAssociativeList,
    pub k8s_nested_associative_list: K8sNestedAssociativeList,
    #[crd(map_type = "granular")]
    pub map_of_info: BTreeMap<String, ByteString>,
    pub nested_map_of_info: NestedMapOfInfo,
    #[crd(struct_type = "atomic")]
    pub struct_with_several_fields: NestedObject,
    pub nested_struct_with_several_fields: NestedStructWithSeveralFields,
    #[crd(struct_type = "atomic")]
    pub nested_struct_with_several_fields_double_marked: NestedStructWithSeveralFields,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub just_nested_object: Option<JustNestedObject>,

    // Optional fields, and fields that are required although serde has a default.
    #[serde(default)]
    pub explicitly_optional_kubebuilder: String,
    #[serde(default)]
    #[crd(optional)]
    pub explicitly_optional_kubernetes: String,
    #[serde(default)]
    #[crd(optional)]
    pub explicitly_optional_k8s: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[crd(required)]
    pub explicitly_required_kubebuilder: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[crd(required)]
    pub explicitly_required_kubernetes: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[crd(required)]
    pub explicitly_required_k8s: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_max_properties: Option<MinMaxObject>,

    // Schemas that differ from the type of the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(schemaless, type = "string")]
    pub schemaless: Option<ByteString>,
    /// A number or a percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(
        min_length = 2,
        max_length = 11,
        pattern = "^((100|[0-9]{1,2})%|[0-9]+)$"
    )]
    pub int_or_string_with_a_pattern: Option<IntOrString>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(enum = [1, 2, "foo", "bar"])]
    pub int_or_string_with_enum: Option<IntOrString>,

    // Nested maps.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nested_map: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nested_nested_map: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nested_map_in_struct: BTreeMap<String, ContainsNestedMap>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub map_of_arrays_of_floats: BTreeMap<String, Vec<bool>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub map_of_text_marshaler_keys: BTreeMap<Url3, String>,

    // Numbers.
    #[crd(minimum = -0.5, maximum = 1.5, multiple_of = 0.5)]
    pub float_with_validations: f64,
    #[crd(minimum = -0.5, maximum = 1.5, multiple_of = 0.5)]
    pub float64_with_validations: f64,
    #[crd(minimum = -2, maximum = 2, multiple_of = 2)]
    pub int_with_validations: i64,
    #[crd(minimum = -2, maximum = 2, multiple_of = 2)]
    pub int32_with_validations: i32,

    // Flattened structs.
    #[serde(flatten)]
    pub(super) private_struct: PrivateStruct,
    #[serde(flatten)]
    pub public_struct: PublicStruct,

    // CEL rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(validation(rule = "self.size() % 2 == 0", message = "must have even length"))]
    #[crd(validation(rule = "true"))]
    pub string_with_even_length: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(validation(
        rule = "self.size() % 2 == 0",
        message_expression = "self + ' has odd length, must be even'"
    ))]
    pub string_with_even_length_and_message_expression: Option<String>,
    /// CEL rules on the field and on its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(validation(rule = "self.startsWith('good-')", message = "must have good prefix"))]
    pub string_with_even_length_and_good_prefix: Option<StringEvenType>,
    /// Cannot be set after creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden_int: Option<i64>,

    // Lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<[i64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_using_composite_literal: Option<[String; LENGTH]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(
        min_items = 1,
        list_type = "set",
        items(
            min_length = 1,
            max_length = 255,
            pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
        )
    )]
    pub hosts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(items(enum = [0, 1, 3]))]
    pub enum_slice: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts_alias: Option<Hosts>,

    // Aliases and newtypes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_from_package: Option<IpFamilyPolicy>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub string_alias: StringAlias,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_alias_ptr: Option<StringAlias>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(min_length = 1, max_length = 255)]
    pub string_alias_added_validation: Option<StringAlias>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_alias_already_validated: Option<StringAliasWithValidation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(title = "title on field")]
    pub string_alias_with_added_title: Option<StringAliasWithTitle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_alias_with_title: Option<StringAliasWithTitle>,

    // Constraints of a list and of its items.
    #[crd(min_items = 2, max_items = 2)]
    pub string_pair: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(min_items = 3)]
    pub longer_string_array: Vec<LongerString>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(items(
        min_length = 1,
        max_length = 10,
        pattern = "^((100|[0-9]{1,2})%|[0-9]+)$"
    ))]
    pub int_or_string_array_with_a_pattern: Vec<IntOrString>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(items(min_length = 1, max_length = 3, enum = [1, 2, "foo", "bar"]))]
    pub int_or_string_with_enum_slice: Vec<IntOrString>,

    #[serde(default = "tcp")]
    pub protocol: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selectable_field_string: String,
    #[serde(flatten)]
    pub embedded: InlineAlias,
    #[serde(flatten)]
    pub inline_pointer: Option<InlinePointerStruct>,
    /// 0 on creation, any value on update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(validation(
        rule = "oldSelf.hasValue() || self == 0",
        message = "must be set to 0 on creation. can be set to any value on an update.",
        optional_old_self
    ))]
    pub only_allow_setting_on_update: Option<i32>,

    // Constraints of a field and of its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(minimum = 1, maximum = 10)]
    pub locally_bounded_integer: Option<UnmarkeredInteger>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(min_length = 1, max_length = 10)]
    pub locally_bounded_string: Option<UnmarkeredString>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(min_length = 10, max_length = 10)]
    pub field_level_alias_override: Option<StringAliasWithValidation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(min_length = 10, max_length = 10)]
    pub field_level_local_declaration_override: Option<LongerString>,

    // Structs of another module, and structs in collections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded_external: Option<EmbeddedExternalSpec>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struct_slice: Vec<RootObject>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub struct_map: BTreeMap<String, RootObject>,
}

fn default_ref_value() -> String {
    "defaultRefValue".to_owned()
}

fn tcp() -> String {
    "TCP".to_owned()
}
