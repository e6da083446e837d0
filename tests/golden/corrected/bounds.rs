//! Numeric bounds that the API server reads as written, and constraints of the right type.

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
        pub greatest: i64,
        #[crd(minimum = 0, maximum = 300000000)]
        pub too_great: i32,
        #[crd(minimum = 1, multiple_of = 2)]
        pub fraction: u8,
        #[crd(type = "number", minimum = 1500, maximum = 2500)]
        pub admits: f64,
        #[crd(type = "number", minimum = 0, maximum = 1500, exclusive_maximum)]
        pub refuses: f64,
        #[crd(type = "number")]
        pub far: f64,
        #[crd(type = "number", multiple_of = 2.0)]
        pub even: f64,
        #[crd(type = "number", multiple_of = 2500)]
        pub factor: f64,
        #[crd(minimum = 1, maximum = 2)]
        pub count: Count,
        #[crd(min_length = 1, max_length = 2)]
        pub name: Name,
        #[crd(pattern = "^[1-9]$")]
        pub title: Name,
        #[crd(items(pattern = "^a$"))]
        pub names: Names,
        #[crd(enum = [1, 2.0], default = 1.0)]
        pub listed: i32,
        #[crd(enum = [1, 2.0], default = 2.0)]
        pub unlisted: i32,
        #[crd(schema = { "type": "integer", "maximum": 1 })]
        pub stated: i32,
        pub null: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Count(pub i32);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Name(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Names(pub Vec<String>);
}
