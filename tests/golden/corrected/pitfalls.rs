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
        pub float: Vec<i64>,
        #[crd(items(items(type = "number")))]
        pub floats: Option<Vec<Vec<f32>>>,
        #[crd(items(type = "number"))]
        pub scalar: Vec<f32>,
        #[crd(type = "number")]
        pub meant: f64,
        #[crd(type = "number", multiple_of = 500)]
        pub half: f64,
        #[crd(embedded_metadata)]
        pub template: ObjectMeta,
        #[crd(embedded_metadata)]
        pub kept: Option<ObjectMeta>,
        pub no_metadata: Inner,
        pub internal: Internal,
        #[crd(nullable)]
        pub not_null: Option<String>,
        pub nulls: Vec<Option<String>>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Internal {
        pub a: String,
    }
}
