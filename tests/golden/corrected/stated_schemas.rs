pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[crd(schema = { "type": "string", "maxLength": 5 })]
        pub misspelt: Inner,
        #[crd(schema = { "type": "array", "items": { "type": "string" } })]
        pub no_items: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string", "maxLength": 5 } } })]
        pub no_type: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "properties": { "a": {} } }] })]
        pub typed_branch: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } } })]
        pub both: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] })]
        pub required: Inner,
        #[crd(schema = { "type": "string", "pattern": "a", "default": "a" })]
        pub text: Inner,
        #[crd(schema = { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } }, "required": ["a", "b"] }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] })]
        pub list: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string", "x-kubernetes-validations": [{ "rule": "self == 'b'" }] } } })]
        pub rule: Inner,
        #[crd(schema = { "type": "string", "format": "date" })]
        pub format: Inner,
        #[crd(schema = { "type": "object", "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true } })]
        pub any_values: Inner,
        #[crd(schema = { "type": "array", "items": { "type": "string" } })]
        pub unique: Inner,
        #[crd(schema = { "type": "string", "nullable": true })]
        pub two_types: Option<Inner>,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } }, "x-kubernetes-embedded-resource": true })]
        pub resource: Inner,
        #[crd(schema = { "type": "object", "x-kubernetes-preserve-unknown-fields": true })]
        pub open: Inner,
        #[crd(schemaless, preserve_unknown_fields)]
        pub nothing: Inner,
        #[crd(schema = { "type": "array", "items": { "type": "object" } })]
        pub array: Inner,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: String,
    }
}
