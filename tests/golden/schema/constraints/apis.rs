//! Constraints of each type of value: numbers, strings, lists, maps and objects.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;

    #[genclient]
    #[group = "limits.example.com"]
    pub struct Quota {
        pub metadata: ObjectMeta,
        pub spec: QuotaSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(validation(
        rule = "self.low <= self.high",
        reason = "FieldValueInvalid",
        field_path = ".low"
    ))]
    pub struct QuotaSpec {
        #[crd(minimum = 0, maximum = 10, exclusive_maximum)]
        pub low: i32,
        #[crd(multiple_of = 0.5)]
        pub high: f64,
        #[crd(min_length = 1, max_length = 8, pattern = r"^[a-z: #'\x22]+$")]
        pub name: String,
        #[crd(min_items = 1, max_items = 3, list_type = "set", items(enum = ["a", "b"]))]
        pub tags: Vec<String>,
        #[crd(
            min_properties = 1,
            max_properties = 2,
            map_type = "atomic",
            values(minimum = 1)
        )]
        pub limits: BTreeMap<String, i32>,
    }
}
