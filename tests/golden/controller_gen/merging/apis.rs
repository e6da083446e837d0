//! Constraints of a field merged with those of its type, for each pair of constraints.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "merging.example.com"]
    pub struct Merging {
        pub metadata: ObjectMeta,
        pub spec: MergingSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(min_length = 2, max_length = 8, pattern = "^[a-z]+$")]
    pub struct Name(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(enum = ["a", "b", "c"])]
    pub struct Letter(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(format = "ipv4", example = "10.0.0.1", title = "title of the type")]
    pub struct Address(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(minimum = 1, maximum = 100, multiple_of = 2)]
    pub struct Count(pub i32);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(min_items = 1, max_items = 3, list_type = "set", items(min_length = 2))]
    pub struct Tags(pub Vec<String>);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(min_properties = 1, max_properties = 3)]
    pub struct Labels(pub BTreeMap<String, String>);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(validation(rule = "self.a != self.b", message = "of the type"))]
    pub struct Pair {
        pub a: String,
        pub b: String,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase", default)]
    pub struct MergingSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_length = 1, max_length = 10)]
        pub wider_length: Option<Name>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_length = 3, max_length = 5)]
        pub narrower_length: Option<Name>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_length = 3)]
        pub narrower_min_length: Option<Name>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_length = 2, max_length = 8, pattern = "^[a-z]+$")]
        pub same: Option<Name>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(pattern = "^a")]
        pub two_patterns: Option<Name>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(pattern = "^a", max_length = 5)]
        pub pattern_and_length: Option<Name>,

        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(enum = ["b", "c"])]
        pub two_enums: Option<Letter>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_length = 1)]
        pub enum_and_length: Option<Letter>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(default = "a")]
        pub enum_and_default: Option<Letter>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(max_length = 8, example = "10.0.0.2", title = "title of the field")]
        pub format_and_length: Option<Address>,

        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(minimum = 10, maximum = 20)]
        pub narrower_bounds: Option<Count>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(minimum = 0, maximum = 1000)]
        pub wider_bounds: Option<Count>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(maximum = 100, exclusive_maximum)]
        pub exclusive_bound: Option<Count>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(maximum = 200, exclusive_maximum)]
        pub wider_exclusive_bound: Option<Count>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(multiple_of = 3)]
        pub two_factors: Option<Count>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(multiple_of = 4)]
        pub factor_of_factor: Option<Count>,

        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_items = 2, max_items = 5)]
        pub two_item_counts: Option<Tags>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(list_type = "set")]
        pub same_list_type: Option<Tags>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_properties = 2)]
        pub two_member_counts: Option<Labels>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(map_type = "atomic")]
        pub map_type_of_field: Option<Labels>,

        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(validation(rule = "self.a != ''", message = "of the field"))]
        pub two_rules: Option<Pair>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(struct_type = "atomic", preserve_unknown_fields, nullable)]
        pub marks_of_field: Option<Pair>,
    }
}
