//! The metadata of an object that is made of a template.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "embedded.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        /// Of the objects that are made.
        #[crd(embedded_metadata)]
        pub metadata: ObjectMeta,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub templates: Vec<Template>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Template {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(embedded_metadata)]
        pub metadata: Option<Box<ObjectMeta>>,
    }
}
