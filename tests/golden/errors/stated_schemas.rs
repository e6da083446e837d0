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
        #[crd(schema = { "type": "string", "maxlength": 5 })]
        pub misspelt: Inner,
        #[crd(schema = { "type": "array" })]
        pub no_items: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "maxLength": 5 } } })]
        pub no_type: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "properties": { "a": { "type": "string" } } }] })]
        pub typed_branch: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "string" } })]
        pub both: Inner,
        #[crd(schema = { "type": "object", "required": ["a"] })]
        pub required: Inner,
        #[crd(schema = { "type": "string", "pattern": "(?=a)", "default": 5 })]
        pub text: Inner,
        #[crd(schema = { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] })]
        pub list: Inner,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string", "x-kubernetes-validations": [{ "rule": "self.b" }] } } })]
        pub rule: Inner,
        #[crd(schema = { "type": "string", "format": "text" })]
        pub format: Inner,
        #[crd(schema = { "type": "object", "additionalProperties": true })]
        pub any_values: Inner,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "uniqueItems": true })]
        pub unique: Inner,
        #[crd(schema = { "type": ["string", "null"] })]
        pub two_types: Option<Inner>,
        #[crd(schema = { "type": "string", "x-kubernetes-embedded-resource": true })]
        pub resource: Inner,
        #[crd(schema = { "type": "string", "x-kubernetes-preserve-unknown-fields": true })]
        pub open: Inner,
        #[crd(schemaless)]
        pub nothing: Inner,
        #[crd(type = "array")]
        pub array: Inner,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: String,
    }
}
