//! Conversion between versions by a webhook outside of the cluster, which is called by URL.

use genclient::conversion::{Inconvertible, Spoke};

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "outside.example.com"]
    #[crd(
        storage,
        conversion(webhook(url = "https://converter.example.com:9443/convert"))
    )]
    pub struct Unit {
        pub metadata: ObjectMeta,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "outside.example.com"]
    pub struct Unit {
        pub metadata: ObjectMeta,
    }
}

impl Spoke for v1beta1::Unit {
    type Hub = v1::Unit;

    fn to_hub(self) -> Result<v1::Unit, Inconvertible> {
        Ok(v1::Unit {
            metadata: self.metadata,
        })
    }

    fn from_hub(hub: v1::Unit) -> Result<Self, Inconvertible> {
        Ok(Self {
            metadata: hub.metadata,
        })
    }
}
