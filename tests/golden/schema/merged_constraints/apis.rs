//! Constraints of a field and of its type, which are merged.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    /// Widget with constraints on its fields and on their types.
    #[genclient]
    #[group = "merged.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(
        exactly_one_of = ["config-map", "secret"],
        at_most_one_of = ["namespace", "note"],
        at_least_one_of = ["note", "secret"],
        validation(rule = "self.low <= self.high", message = "low is above high")
    )]
    pub struct WidgetSpec {
        #[crd(minimum = -5, maximum = 100)]
        pub low: u8,
        #[crd(minimum = 10, exclusive_minimum, multiple_of = 4)]
        pub high: Even,
        #[crd(multiple_of = 3)]
        pub sixth: Even,
        #[crd(
            max_length = 10,
            pattern = "^[a-z]",
            validation(rule = "self != 'root'")
        )]
        pub name: Name,
        #[crd(enum = ["Never", "Always"])]
        pub policy: Policy,
        #[crd(min_items = 2, list_type = "atomic")]
        pub hosts: Hosts,
        #[crd(title = "Of the field", default = "b")]
        pub titled: Titled,
        #[serde(rename = "config-map", skip_serializing_if = "Option::is_none")]
        pub config_map: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(immutable)]
        pub secret: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub namespace: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        #[crd(immutable)]
        pub class: String,
        #[crd(
            max_properties = 8,
            keys(
                min_length = 1,
                max_length = 63,
                pattern = "^[a-z'\\d]+$",
                format = "k8s-short-name"
            )
        )]
        pub labels: BTreeMap<String, String>,
        #[crd(max_properties = 2, keys(enum = ["cpu", "memory"]), values(minimum = 1))]
        pub limits: BTreeMap<String, i32>,
        #[crd(schema = { "type": "string", "maxLength": 5 }, default = "abc", validation(rule = "self != 'b'"))]
        pub stated: Titled,
        #[crd(type = "string", format = "date-time")]
        pub instant: i64,
        #[crd(schemaless, preserve_unknown_fields)]
        pub anything: Policy,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(minimum = 10, multiple_of = 2)]
    pub struct Even(pub i32);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(
        min_length = 1,
        max_length = 63,
        pattern = "[a-z]$",
        validation(rule = "self != 'admin'", message = "taken")
    )]
    pub struct Name(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Policy {
        Always,
        Never,
        Sometimes,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(min_items = 1, list_type = "set", items(min_length = 1))]
    pub struct Hosts(pub Vec<String>);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(title = "Of the type", default = "a")]
    pub struct Titled(pub String);
}
