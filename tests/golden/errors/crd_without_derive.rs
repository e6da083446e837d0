//! `#[crd(…)]` on types without `CrdSchema`, and help that names the attribute on such types.

pub mod v1 {
    use genclient::prelude::*;
    use kube::CustomResource;
    use schemars::JsonSchema;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Shop", namespaced)]
    #[crd(min_properties = 1)]
    pub struct ShopSpec {
        #[crd(minimum = 1)]
        pub size: i32,
        pub till: Till,
        pub shape: Shape,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Till {
        #[crd(minimum = 1)]
        pub coins: i32,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(tag = "type")]
    pub enum Shape {
        Round {
            #[crd(minimum = 1)]
            radius: i32,
        },
        Square,
    }

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Ware", namespaced)]
    pub struct WareSpec {
        pub odd: Odd,
        pub odds: Vec<Odd>,
        pub tree: Option<Box<WareSpec>>,
    }

    #[derive(Clone, Debug, Deserialize, JsonSchema)]
    pub struct Odd(u32);

    impl Serialize for Odd {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&self.0)
        }
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize)]
    pub struct WidgetSpec {
        #[crd(minimum = 1)]
        pub size: i32,
    }
}
