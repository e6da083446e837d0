//! `only_verbs`: a client with only these verbs, in client-go's order. Without `watch` there is no
//! informer and no lister.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(only_verbs = ["list", "get", "update_status"])]
    #[group = "orders.example.com"]
    pub struct Order {
        pub metadata: ObjectMeta,
        pub status: Option<OrderStatus>,
    }

    /// Review of an order, which can only be created.
    #[genclient(only_verbs = ["create"])]
    #[group = "orders.example.com"]
    pub struct OrderReview {
        pub metadata: ObjectMeta,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct OrderStatus {
        pub sent: bool,
    }
}
