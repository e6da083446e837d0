//! Types that several modules of the client refer to, in two versions and outside of them.

pub mod v1 {
    use genclient::prelude::*;

    pub use super::Gauge;

    #[genclient(method(
        name = "get_timetable",
        verb = "get",
        subresource = "timetable",
        result = "Timetable"
    ))]
    #[group = "lines.example.com"]
    #[crd(storage, conversion(webhook(service = "system/converter")))]
    pub struct Train {
        pub metadata: ObjectMeta,
        pub gauge: Gauge,
        pub fuel: Fuel,
    }

    #[genclient(non_namespaced)]
    #[group = "lines.example.com"]
    pub struct Station {
        pub metadata: ObjectMeta,
        pub gauges: Vec<Gauge>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Fuel {
        Coal,
        Electricity,
    }

    #[derive(Clone, Debug, Deserialize)]
    pub struct Timetable {
        pub departures: Vec<String>,
    }
}

pub mod v1beta1 {
    use genclient::conversion::{Inconvertible, Spoke};
    use genclient::prelude::*;

    use super::{Gauge, v1};

    #[genclient]
    #[group = "lines.example.com"]
    pub struct Train {
        pub metadata: ObjectMeta,
        pub gauge: Gauge,
        pub fuel: v1::Fuel,
    }

    impl Spoke for Train {
        type Hub = v1::Train;

        fn to_hub(self) -> Result<v1::Train, Inconvertible> {
            Ok(v1::Train {
                metadata: self.metadata,
                gauge: self.gauge,
                fuel: self.fuel,
            })
        }

        fn from_hub(hub: v1::Train) -> Result<Self, Inconvertible> {
            Ok(Self {
                metadata: hub.metadata,
                gauge: hub.gauge,
                fuel: hub.fuel,
            })
        }
    }
}

use genclient::prelude::*;

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub enum Gauge {
    Standard,
    Narrow,
}
