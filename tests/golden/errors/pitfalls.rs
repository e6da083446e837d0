pub mod v1 {
    use std::collections::BTreeSet;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub float: Vec<f32>,
        pub floats: Option<Vec<Vec<f32>>>,
        #[crd(type = "number")]
        pub scalar: Vec<f32>,
        #[crd(type = "number")]
        pub meant: f64,
        #[crd(type = "number", multiple_of = 0.5)]
        pub half: f64,
        pub template: ObjectMeta,
        #[crd(embedded_metadata)]
        pub kept: Option<ObjectMeta>,
        #[crd(embedded_metadata)]
        pub no_metadata: Inner,
        pub internal: Internal,
        #[crd(nullable)]
        pub not_null: String,
        pub nulls: BTreeSet<Option<String>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(skip)]
    pub struct Internal {
        pub a: String,
    }
}
