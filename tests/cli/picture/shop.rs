pub mod v1 {
    use genclient::prelude::*;

    /// A shop, and how many servers it may have.
    #[genclient]
    #[group = "shop.example.com"]
    pub struct Shop {
        pub metadata: ObjectMeta,
        pub spec: ShopSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    #[crd(validation(rule = "self.min_replicas <= self.maxReplicas", message = "min above max"))]
    pub struct ShopSpec {
        pub min_replicas: i32,
        pub max_replicas: i32,
    }
}
