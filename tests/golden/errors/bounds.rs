//! Numeric bounds that the API server reads differently, and constraints of another type.

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
        #[crd(maximum = 9223372036854775807)]
        pub greatest: i64,
        #[crd(minimum = 0, maximum = 3000000000)]
        pub too_great: i32,
        #[crd(minimum = 0.5, multiple_of = 1.5)]
        pub fraction: u8,
        #[crd(type = "number", minimum = 1.5, maximum = 2.5)]
        pub admits: f64,
        #[crd(type = "number", minimum = 0, maximum = 1.5, exclusive_maximum)]
        pub refuses: f64,
        #[crd(type = "number", maximum = 1e300)]
        pub far: f64,
        #[crd(type = "number", multiple_of = 2.0)]
        pub even: f64,
        #[crd(type = "number", multiple_of = 2.5)]
        pub factor: f64,
        #[crd(min_length = 1)]
        pub count: Count,
        #[crd(min_items = 1)]
        pub name: Name,
        #[crd(minimum = 1)]
        pub title: Name,
        #[crd(pattern = "^a$")]
        pub names: Names,
        #[crd(enum = [1, 2.0], default = 1.0)]
        pub listed: i32,
        #[crd(enum = [1, 2.0], default = 3)]
        pub unlisted: i32,
        #[crd(schema = { "type": "integer", "maximum": 1.5 })]
        pub stated: i32,
        #[crd(default = null)]
        pub null: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Count(pub i32);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Name(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Names(pub Vec<String>);
}
